"""The compiler of kernels: numba's, with less work for kernels that only kernels call.

This uses parts of numba that it does not document, so `pyproject.toml` names the versions that are known to work.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import numba
from numba.core import cgutils, serialize, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.extending import intrinsic

from treevote.machine_code import MachineCode

if "colorama.initialise" in sys.modules:  # numba has it write an escape sequence at the end of every process
    atexit.unregister(sys.modules["colorama.initialise"].reset_all)


class Compiler(CPUDispatcher):
    """The compiler of a kernel, for calls from Python or, in less time, for calls from other kernels.

    Code for calls from Python unpacks each array and tuple of the arguments, which is much code: a fifth of all
    compilation. So a kernel that is first called from another one is compiled without it; if Python calls it later, it
    is compiled again, and that code serves both.
    """

    _inner = False  # whether it is being compiled for another kernel
    _compiler: Any

    def code(self, arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], MachineCode | None]:
        """Return the function for arguments such as these, and what is to be kept of it, None if it cannot be kept."""
        signature = tuple(map(numba.typeof, arguments))
        call = self.compile(signature)
        return call, _kept(self.overloads[signature])

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


def _kept(made: Any) -> MachineCode | None:
    """Return what is to be kept of a compiled kernel."""
    library = made.library
    if library.has_dynamic_globals or made.lifted or made.reload_init:
        return None
    (machine_code, _) = library.serialize_using_object_code()[2]
    environments = {
        environment.env_name: [dtype.str for dtype in environment.consts]
        for environment in {
            id(each): each for each in (made.environment, *made._find_referenced_environments())
        }.values()
    }
    pickled: Any = serialize.dumps
    classes = {
        hashlib.sha1(pickled(kind)).hexdigest(): (kind.__module__, kind.__qualname__)
        for kind in _classes(made.signature.return_type)
    }
    return MachineCode(machine_code, made.fndesc.llvm_cpython_wrapper_name, environments, classes)


def _classes(kind: Any) -> Iterator[type]:
    """Yield the classes that Python gets to see when a kernel returns something of a type."""
    seen: tuple[str, ...] = ("box_type", "instance_class")  # of an array, of a named tuple
    yield from (getattr(kind, name) for name in seen if hasattr(kind, name))
    for part in getattr(kind, "types", ()):
        yield from _classes(part)


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


@functools.cache
def prefetch_type() -> Any:
    """Return the type of `treevote.kernels.prefetch` in a kernel."""
    made: Any = cast("Any", intrinsic)(_prefetch)
    context: Any = cpu_target.typing_context
    context.refresh()  # else it is not known yet
    return context.resolve_value_type(made)


def _prefetch(context: Any, array: Any, place: Any) -> Any:
    ir: Any = cast("Any", cgutils).ir  # LLVM's intermediate representation

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        insert: Any = cgutils.get_or_insert_function
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        function = insert(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, number(0), number(3), number(1)])  # to read, keep close, data
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
