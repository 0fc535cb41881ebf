"""The compiler of kernels: numba's, with less work for kernels that only kernels call.

This uses parts of numba that it does not document, so `pyproject.toml` names the versions that are known to work.
"""

from __future__ import annotations

import functools
from typing import Any, cast

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from treevote.kernel_files import Cache


class Kernel(CPUDispatcher):
    """A kernel, compiled for calls from Python or, in less time, for calls from other kernels.

    Code for calls from Python unpacks each array and tuple of the arguments, which is much code: a fifth of all
    compilation. So a kernel that is first called from another one is compiled without it; if Python calls it later, it
    is compiled again, and that code serves both.
    """

    _inner = False  # whether it is being compiled for another kernel
    _cache: Cache
    _compiler: Any

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile it for another kernel, unless it is compiled already.

        It is compiled for numbers of 64 bits, not again for each constant and shorter number that it is called with.
        """
        args = tuple(map(_widened, args))
        with global_compiler_lock:
            codegen = self.targetctx.codegen()  # type: ignore[attr-defined]
            outer = codegen._library_class
            codegen._library_class = _InnerCode
            self._compile_as(inner=True)
            try:
                return super().get_call_template(args, kws)
            finally:
                self._compile_as(inner=False)
                codegen._library_class = outer

    def compile(self, sig: Any) -> Any:
        """Return the code for arguments of some types; compile it if there is none of the form that is needed."""
        with global_compiler_lock:
            if not self._inner and sig in self._of_inner:
                del self.overloads[sig]
                self._of_inner.remove(sig)
            return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Keep compiled code; Python does not get to see that for other kernels."""
        if self._inner:
            self.overloads[cres.signature.args] = cres
            self._of_inner.add(cres.signature.args)
        else:
            super().add_overload(cres)

    @functools.cached_property
    def _of_inner(self) -> set[Any]:
        """The types of arguments for which there is code for other kernels only."""
        return set()

    def _compile_as(self, *, inner: bool) -> None:
        self._inner = inner
        self._compiler.targetoptions = self.targetoptions | {"no_cpython_wrapper": inner}
        self._cache.inner = inner


def _widened(kind: Any) -> Any:
    """Return the type that an argument is converted to."""
    plain: Any = cast("Any", types).unliteral(kind)
    return types.int64 if getattr(plain, "signed", False) else plain


class _InnerCode(JITCodeLibrary):
    """The code of a kernel for other kernels, optimised only together with theirs: half of all work is saved.

    It is neither run itself nor kept on disk.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return no address."""
        return 0

    @property
    def codegen(self) -> Any:
        """Itself, so that numba does not look for the address of its environment."""
        return self

    def set_env(self, env_name: str, env: object) -> None:
        """Do nothing: kernels have no environment."""
