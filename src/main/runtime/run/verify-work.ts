/** Verifies the changes of runs, by the setting: asks the user, or starts the verifier, once per state of the files. */
import { attemptOf } from '../../../shared/comparison/comparison.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { VERIFIER, type Verification } from '../../../shared/verification/verification.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { createVerifier } from './create-verifier.ts'
import { nextId } from './record-verdict.ts'

/** More states are offered to the user instead: a fix after each verdict must not go on without end. */
const MOST_BY_SETTING = 3

/** Called before each run of the main agent. */
export async function beforeRun(conversation: Conversation): Promise<void> {
  const { runMemory, file, lifetime, ports } = conversation
  const { record, queue } = file
  const said = queue.all.filter(({ agentId, from }) => agentId === record.mainAgentId && from === 'user')
  if (said.length > 0) {
    runMemory.started = 0
    runMemory.request = said.map(({ content }) => textOf(content)).join('\n\n')
  }
  const isFirst = runMemory.before === null
  if (!appliesTo(conversation)) runMemory.before = null
  else if (isFirst || (said.length > 0 && !othersWork(conversation))) {
    const state = await ports.worktrees.stateOf(mainFolderOf(conversation), lifetime.signal)
    // A run that continues after a restart may have changed files before.
    runMemory.before = !state.ok ? null : said.length > 0 ? state.value.tree : state.value.headTree
  }
}

/** Called when the main agent waits for the user. Returns the verifiers to start. */
export async function afterRun(conversation: Conversation): Promise<readonly AgentHandle[]> {
  if (!appliesTo(conversation) || othersWork(conversation)) return []
  const verifiers: AgentHandle[] = []
  for (const subject of await changedSubjects(conversation)) {
    if (isKnown(conversation, subject)) continue
    const offered = offer(conversation, subject)
    const isAlways = conversation.ports.policy.verification === 'always'
    if (isAlways && conversation.runMemory.started < MOST_BY_SETTING) {
      conversation.runMemory.started++
      const verifier = await prepare(conversation, offered, 'setting')
      if (verifier.ok) verifiers.push(verifier.value)
    }
  }
  await conversation.file.save()
  return verifiers
}

/** Whether the setting applies to the runs of this conversation. */
function appliesTo({ ports, file, agents }: Conversation): boolean {
  const { record } = file
  const main = agents.main?.state()
  return (
    ports.policy.verification !== 'off' &&
    ports.policy.trusted(record.folder) &&
    !record.rehearsal &&
    !record.scratch &&
    main !== undefined &&
    main.permissionMode !== 'plan' &&
    !main.definition.readOnly
  )
}

/** Whether a subagent works that may still change files. Its end starts the main agent again, unless it is an attempt. */
function othersWork({ agents, file }: Conversation): boolean {
  return agents
    .all()
    .some(
      (handle) =>
        handle !== agents.main &&
        handle.done !== null &&
        handle.state().definition.name !== VERIFIER &&
        attemptOf(file.record.comparisons, handle.id) === null,
    )
}

type Subject = Pick<Verification, 'owner' | 'digest' | 'base'>

/** Whether the same files were offered, verified, or are being verified. */
function isKnown({ file, agents }: Conversation, { owner, digest }: Subject): boolean {
  const isVerifying = agents
    .states()
    .some(({ definition, worktree }) => definition.name === VERIFIER && worktree?.startTree === digest)
  return isVerifying || file.record.verifications.some((one) => one.owner === owner && one.digest === digest)
}

/** The folder if the run changed it, and the worktrees with work that waits in Review. */
async function changedSubjects(conversation: Conversation): Promise<readonly Subject[]> {
  const { ports, runMemory, agents, lifetime, file } = conversation
  const subjects: Subject[] = []
  const now = await ports.worktrees.stateOf(mainFolderOf(conversation), lifetime.signal)
  if (now.ok) {
    const { tree, headTree } = now.value
    const base = runMemory.before ?? headTree
    if (tree !== base) subjects.push({ owner: null, digest: tree, base })
    runMemory.before = tree
  }
  const owners = agents
    .states()
    .filter(({ worktree, work, parentId }) => parentId !== null && worktree?.own && work?.unchanged === false)
    // Attempts have a check of their own.
    .filter(({ id }) => attemptOf(file.record.comparisons, id) === null)
  if (owners.length === 0) return subjects
  const { worktrees } = await ports.review.list(file.record.folder, { thorough: false })
  for (const { id, worktree, definition } of owners) {
    const waiting = worktrees.find(
      (one) => one.id === worktree?.id && one.state === 'ready' && !one.folderGone,
    )
    if (waiting === undefined || worktree === null || definition.name === VERIFIER) continue
    const state = await ports.worktrees.stateOf(worktree.path, lifetime.signal)
    if (state.ok) subjects.push({ owner: id, digest: state.value.tree, base: worktree.base })
  }
  return subjects
}

/** Offers a verification to the user. */
export function offer(conversation: Conversation, subject: Subject): Verification {
  const verification: Verification = {
    ...subject,
    id: nextId(conversation),
    state: 'offered',
    startedBy: null,
    agentId: null,
    verdict: null,
    summary: '',
    evidence: [],
    at: conversation.ports.clock.now(),
  }
  conversation.file.emit({ type: 'verification-changed', verification })
  return verification
}

/** Creates the verifier, which the caller starts; a failure also becomes a notice. */
export async function prepare(
  conversation: Conversation,
  verification: Verification,
  startedBy: 'user' | 'setting',
): Promise<Result<AgentHandle>> {
  const started = await createVerifier(conversation, verification, startedBy)
  if (!started.ok)
    conversation.agents.main?.agent?.emit({
      type: 'notice',
      level: 'warning',
      text: `The changes were not verified: ${started.failure.message}`,
    })
  return started
}

/** The main agent's folder. */
export const mainFolderOf = ({ agents, file }: Conversation): string =>
  agents.main?.agent?.session.root ?? file.record.folder
