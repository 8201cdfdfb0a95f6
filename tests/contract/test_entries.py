"""The contract suite on SQLite and on PostgreSQL, through the `store` fixture."""

from __future__ import annotations

from lukasa.testing import contract


class TestKinds(contract.KindContract): ...


class TestClasses(contract.ClassContract): ...


class TestLifeSpans(contract.LifeSpanContract): ...


class TestFields(contract.FieldContract): ...


class TestSecrets(contract.SecretContract): ...


class TestRepeats(contract.RepeatContract): ...


class TestNames(contract.NameContract): ...


class TestFinding(contract.FindContract): ...


class TestLinks(contract.LinkContract): ...


class TestSuperseding(contract.SupersedeContract): ...


class TestUpdates(contract.UpdateContract): ...


class TestHistory(contract.HistoryContract): ...


class TestUndo(contract.UndoContract): ...


class TestLists(contract.ListContract): ...


class TestPages(contract.PageContract): ...


class TestForgetting(contract.ForgetContract): ...


class TestErasure(contract.ErasureContract): ...


class TestCaps(contract.CapContract): ...


class TestIsolation(contract.IsolationContract): ...


class TestShares(contract.ShareContract): ...


class TestFormats(contract.FormatContract): ...


class TestIntake(contract.IntakeContract): ...


def test_every_class_of_the_suite_is_run() -> None:
    run = {parent for kind in list(globals().values()) if isinstance(kind, type) for parent in kind.__mro__}
    assert {name for name in contract.__all__ if getattr(contract, name) not in run} == set()
