"""The conversation about one article: held, checked, shown to a reviewer if there is one, and applied.

Without a reviewer the model edits the article itself. In a dry run, or with a reviewer, it edits a draft; the calls
that the reviewer accepts are then made on the article, with the same reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from steadyhand.agents.impact.prompt import NO_DECISION, findings_message, instructions, opening, remark_message
from steadyhand.agents.impact.review import Edited, ImpactSettings, Proposal, Remark, Reviewer
from steadyhand.agents.impact.toolbox import ArticleToolbox
from steadyhand.agents.model import Model
from steadyhand.agents.runner import ModelConversation, Step
from steadyhand.articles.checks import Finding, check_edit
from steadyhand.articles.report import Report
from steadyhand.articles.search import Flagged
from steadyhand.errors import EditError
from steadyhand.session.host import host_of
from steadyhand.session.tasks import draft
from steadyhand.tools.kit import Kit
from steadyhand.tools.workspace import Workspace

__all__ = ["ArticleConversation", "failed"]

Facts = dict[str, object]

_LONGEST_REASONING: Final = 8_000
_DRAFT: Final = "draft"


class ArticleConversation:
    """The conversation about one article, and what comes after it."""

    def __init__(
        self,
        model: Model,
        settings: ImpactSettings,
        workspace: Workspace,
        flagged: Flagged,
        report: Report,
        before: str,
        *,
        reviewer: Reviewer | None = None,
        watch: Callable[[Step], None] | None = None,
    ) -> None:
        self._model = model
        self._settings = settings
        self._reviewer = reviewer
        self._watch = watch
        self._workspace = workspace
        self._flagged = flagged
        self._report = report
        self._before = before
        self._path = flagged.article.path
        self._findings: tuple[Finding, ...] = ()
        self.transcript: list[Facts] = []

    async def hold(self) -> Facts:
        """ArticleConversation, check, let a person judge; how it ended."""
        if not self._settings.dry_run and self._reviewer is None:
            return await self._conversation_of(self._workspace)
        with draft(self._workspace, self._path, _DRAFT) as copy:
            return await self._conversation_of(copy)

    async def _conversation_of(self, pen: Workspace) -> Facts:
        settings = self._settings
        toolbox = ArticleToolbox(self._kit(self._workspace), self._kit(pen), self._path, allow_new=settings.allow_new)
        text = instructions(self._flagged, self._report, toolbox.section, toolbox.names, allow_new=settings.allow_new)
        conversation = ModelConversation(self._model, toolbox, text, limits=settings.limits, watch=self._watch)
        facts: Facts = {}
        try:
            await conversation.say(opening(self._flagged, self._before, self._report, settings.budget))
            await self._decide(conversation, toolbox, pen)
            facts = self._judgement(conversation, toolbox, pen)
            if pen is not self._workspace:
                facts = await self._review(conversation, toolbox, pen, facts)
        except EditError as error:
            facts = failed(str(error.kind), error.message)
        finally:
            self.transcript = conversation.transcript()
        ended = conversation.ended
        cost: Facts = {
            "toolUsage": ended.tool_usage(),
            "tokens": ended.tokens.to_json(),
            "seconds": round(ended.seconds, 3),
            "turns": ended.turns,
            "retries": ended.retries,
            "callsAsText": ended.as_text,
        }
        return {
            **facts,
            **cost,
            **({"newPages": toolbox.new_pages} if toolbox.new_pages and facts.get("status") != "skipped" else {}),
            **({"findings": [each.to_json() for each in self._findings]} if self._findings else {}),
        }

    async def _decide(self, conversation: ModelConversation, toolbox: ArticleToolbox, pen: Workspace) -> None:
        """Ask once more where nothing was decided; show once what the edits broke."""
        if conversation.ended.is_done and not toolbox.is_over and not self._is_changed(toolbox, pen):
            await conversation.say(NO_DECISION)
        if not self._is_changed(toolbox, pen):
            return
        self._findings = self._check(pen)
        if self._findings and conversation.ended.is_done:
            toolbox.reopen()
            await conversation.say(findings_message(each.message for each in self._findings))
            self._findings = self._check(pen)

    def _judgement(self, conversation: ModelConversation, toolbox: ArticleToolbox, pen: Workspace) -> Facts:
        ended = conversation.ended
        is_changed = self._is_changed(toolbox, pen)
        said = (toolbox.reasoning or ended.text or "")[:_LONGEST_REASONING]
        facts: Facts = {"reasoning": said}
        if not ended.is_done:
            status = "partial" if is_changed else "failed"
            return {**facts, **failed(ended.stop, ended.error or ""), "status": status}
        if is_changed:
            return {**facts, "status": "updated"}
        if toolbox.is_over:
            return {**facts, "status": "unchanged"}
        return {
            **facts,
            **failed("no-decision", "the model neither changed the article nor confirmed that it is right"),
        }

    async def _review(
        self, conversation: ModelConversation, toolbox: ArticleToolbox, pen: Workspace, facts: Facts
    ) -> Facts:
        """A draft: what it comes to, and, where a person accepts it, made on the article."""
        reviewer = self._reviewer
        if not self._is_changed(toolbox, pen) or reviewer is None:
            return facts | self._drafted(pen)
        may_remark = True
        while self._is_changed(toolbox, pen):
            made = self._drafted(pen)
            verdict = reviewer.judge(self._proposal(pen, made, may_remark=may_remark))
            if isinstance(verdict, Remark) and may_remark:
                may_remark = False
                toolbox.reopen()
                await conversation.say(remark_message(verdict.text))
                await self._decide(conversation, toolbox, pen)
                facts = self._judgement(conversation, toolbox, pen) | {"remark": verdict.text}
                continue
            if verdict == "accept" or isinstance(verdict, Edited):
                return self._apply(toolbox, facts, verdict.text if isinstance(verdict, Edited) else None)
            skipped: Facts = {"status": "skipped", "rejectedPatch": made["patch"], "rejectedBy": "person"}
            return facts | skipped
        return facts

    def _apply(self, toolbox: ArticleToolbox, facts: Facts, text: str | None) -> Facts:
        """Make the accepted calls on the article itself, then what a person changed besides."""
        if self._workspace.read(self._path).text != self._before:
            return facts | failed("stale-source", "others changed the article during this review")
        kit = self._kit(self._workspace)
        for tool, arguments in toolbox.done:
            result = kit.call(tool, arguments)
            if not result.get("success"):
                return facts | failed(str(result.get("kind")), str(result.get("message") or result.get("error")))
        if text is not None and text != self._workspace.read(self._path).text:
            self._workspace.write(self._path, text, reason="edited by hand in the review", allow_shrink=True)
        return facts | {"status": "updated"}

    def _kit(self, workspace: Workspace) -> Kit:
        return workspace.tools(
            "article",
            article=self._path,
            allow_new=self._settings.allow_new,
            model=self._model.name,
            prefix=self._workspace.root,
        )

    def _proposal(self, pen: Workspace, made: Facts, *, may_remark: bool) -> Proposal:
        reasons = made["editReasons"]
        return Proposal(
            self._flagged,
            self._before,
            host_of(pen).source(self._path).text,
            str(made["patch"]),
            tuple(map(str, reasons)) if isinstance(reasons, list) else (),
            self._findings,
            may_remark,
        )

    def _drafted(self, pen: Workspace) -> Facts:
        """What a draft comes to, as the record of an article has it."""
        audit = pen.audit(self._path, task=_DRAFT)
        return {name: audit[name] for name in ("patch", "editReasons", "hunkReasons")}

    def _check(self, pen: Workspace) -> tuple[Finding, ...]:
        return check_edit(self._workspace, self._path, self._before, host_of(pen).source(self._path).text)

    def _is_changed(self, toolbox: ArticleToolbox, pen: Workspace) -> bool:
        """Whether the model has changed the article; others may have, too."""
        return toolbox.has_edited and host_of(pen).source(self._path).text != self._before


def failed(kind: str, message: str) -> Facts:
    """How an article ends that was not changed, and of which nothing was decided."""
    return {"status": "failed", "error": {"kind": kind, "message": message}}
