/** Records the verdict of a verifier as an event of the conversation. */
import { parseVerdict } from '../../../shared/verification/parse-verdict.ts'
import { VERIFIER } from '../../../shared/verification/verification.ts'
import type { EndedRun } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { RunEnd } from '../ports/run-end.ts'

/** Records the verdict of a verifier that has ended, whoever started it. */
export function recordVerdict(
  conversation: Conversation,
  { state, end }: Pick<EndedRun, 'state' | 'end'>,
): void {
  const { file, agents } = conversation
  const { id, definition, worktree } = state
  // An interrupted verifier can be resumed, and gives its verdict then.
  if (definition.name !== VERIFIER || end.kind === 'interrupted') return
  const found = file.record.verifications.find(({ agentId }) => agentId === id)
  const digest = worktree?.startTree
  if (found === undefined && (!worktree?.own || digest === undefined)) return
  const parsed = verdictOf(end)
  const from = agents.states().find((other) => other.worktree?.own && other.worktree.path === worktree?.from)
  agents.main?.agent?.emit({
    type: 'notice',
    level: parsed.verdict === 'passed' ? 'info' : 'warning',
    text: `Verification ${parsed.verdict}.${parsed.summary === '' ? '' : ` ${parsed.summary}`}`,
  })
  file.emit({
    type: 'work-verified',
    id: found?.id ?? nextId(conversation),
    owner: found === undefined ? (from?.id ?? null) : found.owner,
    digest: found?.digest ?? digest ?? '',
    base: found?.base ?? worktree?.base ?? '',
    startedBy: found?.startedBy ?? 'agent',
    agentId: id,
    ...parsed,
    evidence: [...parsed.evidence],
  })
}

function verdictOf(end: Exclude<RunEnd, { kind: 'interrupted' }>): ReturnType<typeof parseVerdict> {
  switch (end.kind) {
    case 'answered':
      return parseVerdict(end.text)
    case 'failed':
      return { verdict: 'unclear', summary: `The verifier failed: ${end.message}`, evidence: [] }
    case 'stopped':
      return { verdict: 'unclear', summary: 'The verifier was stopped before its verdict.', evidence: [] }
  }
}

/** The id of the conversation's next verification. */
export const nextId = ({ file }: Conversation): string => `v-${file.record.verifications.length + 1}`
