import hypothesis

hypothesis.settings.register_profile("nonzero", deadline=None, max_examples=60, derandomize=True)
hypothesis.settings.load_profile("nonzero")
