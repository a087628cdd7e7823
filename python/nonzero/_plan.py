"""Plans: what an operation chose to do."""


class Plan(str):
    """One line that says what ran, with what it says as attributes too: operation, kernel, tier ("compiled" or
    "generic"), on_device, moved_bytes (brought to the GPU from host memory for it), reason, and those of its operation:
    direction, workspace_bytes (bytes), products, chunks...
    `fields` has them all. Empty for an object that no operation made.

    >>> import nonzero as nz
    >>> plan = nz.mxv("plus_times", nz.load("laplace2d:20"), nz.full(400, 1.0)).plan
    >>> plan.operation, plan.kernel, plan.direction
    ('mxv', 'csr_row', 'pull')
    """

    fields: dict

    def __new__(cls, line="", fields=None):
        self = super().__new__(cls, line)
        self.fields = dict(fields or {})
        return self

    def __getattr__(self, name):
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            operation = self.__dict__.get("fields", {}).get("operation", "no operation")
            raise AttributeError(f"a plan of {operation} has no {name!r}") from None

    def __reduce__(self):
        return Plan, (str(self), self.fields)
