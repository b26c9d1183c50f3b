"""libcst: the body of a method replaced by a transformer, the module written."""

from __future__ import annotations

from importlib.metadata import version

import libcst as cst

from benches.documents import Document, method_name
from benches.inside.job import answer, read_job
from benches.inside.rewriting import rewritten


class _Replacing(cst.CSTTransformer):
    """Looks into one class only, and there into no method."""

    def __init__(self, group: str, method: str, body: cst.BaseSuite) -> None:
        super().__init__()
        self._group, self._method, self._body = group, method, body

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:  # noqa: N802
        return node.name.value == self._group

    def visit_FunctionDef(self, _node: cst.FunctionDef) -> bool:  # noqa: N802
        return False

    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        if original_node.name.value != self._method:
            return updated_node
        return updated_node.with_changes(body=self._body)


def change(document: Document) -> str:
    body = cst.IndentedBlock([cst.parse_statement("return []\n")])
    module = cst.parse_module(document.text)
    return module.visit(_Replacing(*method_name(document.middle.number), body)).code


if __name__ == "__main__":
    answer(rewritten(read_job(), "Python", f"libcst {version('libcst')}", change))
