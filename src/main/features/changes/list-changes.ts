/** The changes of a conversation as the window and the command line show them. */
import { relative } from 'node:path'
import type {
  ChangesList,
  FileChange,
  ListedAgent,
  ListedCall,
  ListedFile,
  UserFile,
} from '../../../shared/changes/changes.ts'
import { keyText } from '../../../shared/changes/changes-amounts.ts'
import type { ChangeFacts, FactsAgent, FactsCall } from './change-facts.ts'
import { type FileStates, keyOf } from './file-states.ts'
import { NOT_KEPT } from './plan-undo.ts'
import { chainOf } from './replay-file.ts'

interface CallDeps {
  worktreeState(agent: FactsAgent): Promise<'present' | 'merged' | 'gone'>
  cannot(call: FactsCall): string | null
}

interface ListDeps extends CallDeps {
  readonly conversationId: string
  readonly states: FileStates
  readonly kept: ChangesList['kept']
  /** ms since the epoch. */
  readonly now: () => number
}

export async function listChanges(facts: ChangeFacts, deps: ListDeps): Promise<ChangesList> {
  const redoable = facts.redoable
  return {
    conversationId: deps.conversationId,
    ...(await listCalls(facts, deps)),
    messages: facts.messages.map(({ seq, order, at, text }) => ({ seq, order, at, text: firstLine(text) })),
    user: await userFiles(facts, deps),
    undos: facts.undos.map(({ order, redoOf, changes }) => ({ order, isRedo: redoOf !== null, changes })),
    redo: redoable && { undoId: redoable.undoId, at: redoable.at, scope: redoable.scope },
    kept: deps.kept,
  }
}

/** The agents that changed something, and their calls. */
export async function listCalls(
  facts: ChangeFacts,
  deps: CallDeps,
): Promise<Pick<ChangesList, 'agents' | 'calls'>> {
  const own = facts.calls.filter(
    ({ cause, files, ignored, note }) => cause !== 'user' && (files.length > 0 || ignored > 0 || note !== ''),
  )
  const authors = authorsByPath(own)
  const agents: ListedAgent[] = []
  for (const id of new Set(own.map(({ agentId }) => agentId))) {
    const agent = facts.agents.get(id)
    const { color = 'blue', worktree = null } = agent ?? {}
    agents.push({
      agentId: id,
      name: facts.nameOf(id),
      ...(agent !== undefined && facts.isShared(agent) ? { sharedName: agent.name } : {}),
      color,
      worktree:
        agent && worktree !== null ? { path: worktree, state: await deps.worktreeState(agent) } : null,
    })
  }
  return { agents, calls: own.map((call) => listedCall(call, { facts, authors, deps })) }
}

interface Listing {
  readonly facts: ChangeFacts
  readonly authors: ReadonlyMap<string, ReadonlySet<string>>
  readonly deps: CallDeps
}

function listedCall(call: FactsCall, { facts, authors, deps }: Listing): ListedCall {
  const { agentId, toolUseId, order, at, cause, ignored, note } = call
  const cannot = deps.cannot(call)
  const files = call.files.map((file): ListedFile => {
    const others = [...(authors.get(file.path) ?? []), ...file.maybeBy].filter((id) => id !== agentId)
    return {
      ...file,
      letter: letterOf(file),
      undone: facts.undone.has(keyText({ agentId, toolUseId, path: file.path })),
      alsoBy: [...new Set(others)],
      cannot: cannot ?? (file.kept === 'yes' ? null : NOT_KEPT[file.kept]),
    }
  })
  return {
    agentId,
    toolUseId,
    order,
    at,
    cause: cause === 'tool' ? 'tool' : 'command',
    label:
      cause === 'tool'
        ? `${call.tool} ${call.label}`.trim()
        : call.label || call.tool || 'Outside of its calls',
    files,
    ignored,
    note,
    messageSeq: facts.messages.findLast((message) => message.order < order)?.seq ?? null,
  }
}

const letterOf = ({ before, after, renamedFrom }: FileChange): ListedFile['letter'] => {
  if (before === null) return renamedFrom === null ? 'A' : 'R'
  return after === null ? 'D' : 'M'
}

function authorsByPath(calls: readonly FactsCall[]): ReadonlyMap<string, ReadonlySet<string>> {
  const authors = new Map<string, Set<string>>()
  for (const { agentId, files } of calls)
    for (const { path } of files) authors.set(path, (authors.get(path) ?? new Set()).add(agentId))
  return authors
}

/** Files with changes by the user, recorded or found now. */
async function userFiles(
  facts: ChangeFacts,
  { states, now: timeNow }: ListDeps,
): Promise<readonly UserFile[]> {
  const found: UserFile[] = []
  for (const path of new Set(facts.calls.flatMap(({ files }) => files.map((file) => file.path)))) {
    const { entries, expected } = chainOf(facts, path)
    const now = await states.read(path).catch(() => null)
    const isKnown = !expected?.digest.startsWith('stat:')
    const isChanged = now !== null && now.kept === 'yes' && isKnown && keyOf(now.side) !== keyOf(expected)
    const own = entries.filter(({ key }) => key === null)
    const last = own.at(-1)
    if (!isChanged && last === undefined) continue
    const below = relative(facts.folder, path)
    found.push({
      path,
      shown: below.startsWith('..') ? path : below,
      at: isChanged ? timeNow() : (last?.at ?? 0),
      since: own[0]?.at ?? timeNow(),
      letter: letterFor(
        own[0] === undefined ? expected : own[0].before,
        isChanged ? now.side : (last?.after ?? null),
      ),
    })
  }
  return found
}

const letterFor = (before: unknown, after: unknown): UserFile['letter'] =>
  before === null ? 'A' : after === null ? 'D' : 'M'

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 200) ?? ''
