/** The rows of the list of changes: by agent, or by the message after which the change was made. */
import type {
  ChangesList,
  ListedAgent,
  ListedCall,
  ListedFile,
  ListedMessage,
  UserFile,
} from '../../../shared/changes/changes.ts'
import { type Amounts, amountsOf, isListed, NO_AMOUNTS } from '../../../shared/changes/changes-amounts.ts'
import { count } from '../../ui/text/format.ts'

export type Grouping = 'agent' | 'message'

/** All changes of one file by one agent's tools, or by one command. */
export interface FileRow {
  readonly kind: 'file'
  readonly key: string
  readonly agent: ListedAgent
  /** The calls that changed it. */
  readonly toolUseIds: readonly string[]
  readonly isCommand: boolean
  readonly path: string
  readonly shown: string
  readonly letter: ListedFile['letter']
  readonly added: number | null
  readonly removed: number | null
  readonly undone: boolean
  /** Names of other agents that changed the file. */
  readonly alsoBy: readonly string[]
  readonly cannot: string | null
  readonly isChangedByUser: boolean
}

interface GroupRow {
  readonly key: string
  readonly isOpen: boolean
  readonly amounts: Amounts
}

export type ListRow =
  | FileRow
  | (GroupRow & { readonly kind: 'agent'; readonly agent: ListedAgent })
  /** Null: before the first message. */
  | (GroupRow & { readonly kind: 'message'; readonly message: ListedMessage | null })
  | (GroupRow & { readonly kind: 'user' })
  | { readonly kind: 'command'; readonly key: string; readonly call: ListedCall; readonly text: string }
  | { readonly kind: 'note'; readonly key: string; readonly text: string; readonly isNested: boolean }
  | { readonly kind: 'user-file'; readonly key: string; readonly file: UserFile }

/** @param folded the keys of groups whose rows are hidden */
export function changesRowsOf(
  list: ChangesList,
  grouping: Grouping,
  folded: ReadonlySet<string>,
): readonly ListRow[] {
  const rows: ListRow[] = []
  const add = (group: ListRow & GroupRow, children: () => readonly ListRow[]) => {
    rows.push(group)
    if (group.isOpen) rows.push(...children())
  }
  const lookUp = lookUpOf(list)
  const calls = list.calls.filter(isListed)
  if (grouping === 'agent')
    for (const agent of list.agents) {
      const own = calls.filter(({ agentId }) => agentId === agent.agentId)
      const key = `agent ${agent.agentId}`
      if (own.length > 0)
        add({ kind: 'agent', key, agent, isOpen: !folded.has(key), amounts: amountsOf(own) }, () =>
          callRows(own, key, lookUp),
        )
    }
  else
    for (const message of [...list.messages.toReversed(), null]) {
      const own = calls.filter(({ messageSeq }) => messageSeq === (message?.seq ?? null))
      const key = `message ${message?.seq ?? 'none'}`
      if (own.length > 0)
        add({ kind: 'message', key, message, isOpen: !folded.has(key), amounts: amountsOf(own) }, () =>
          callRows(own, key, lookUp),
        )
    }
  if (list.user.length > 0)
    add(
      {
        kind: 'user',
        key: 'user',
        isOpen: !folded.has('user'),
        amounts: { ...NO_AMOUNTS, files: list.user.length },
      },
      () => list.user.map((file) => ({ kind: 'user-file', key: `user ${file.path}`, file })),
    )
  return rows
}

interface LookUp {
  readonly agents: ReadonlyMap<string, ListedAgent>
  readonly byUser: ReadonlySet<string>
}

const lookUpOf = ({ agents, user }: ChangesList): LookUp => ({
  agents: new Map(agents.map((agent) => [agent.agentId, agent])),
  byUser: new Set(user.map(({ path }) => path)),
})

/** The files of tools, then each command with its files. */
function callRows(calls: readonly ListedCall[], group: string, lookUp: LookUp): readonly ListRow[] {
  const rows: ListRow[] = [
    ...fileRows(
      calls.filter(({ cause }) => cause === 'tool'),
      group,
      lookUp,
    ),
  ]
  for (const call of calls) {
    const { cause, toolUseId, agentId, files, ignored, note } = call
    const key = `${group} ${agentId} ${toolUseId}`
    if (cause === 'command') {
      rows.push({ kind: 'command', key, call, text: commandText(call) })
      rows.push(...fileRows([call], group, lookUp))
    }
    const left = ignored === 0 ? '' : `${count(ignored, 'other file')} changed too: not kept.`
    const text = [left, note].filter((part) => part !== '').join(' ')
    if (text !== '')
      rows.push({ kind: 'note', key: `${key} note`, text, isNested: cause === 'command' && files.length > 0 })
  }
  return rows
}

function commandText({ files }: ListedCall): string {
  if (files.length === 0 || files.every(({ cannot }) => cannot !== null)) return 'can’t be undone'
  return count(files.length, 'file')
}

function fileRows(calls: readonly ListedCall[], group: string, lookUp: LookUp): readonly ListRow[] {
  const found = new Map<string, FileRow>()
  for (const call of calls)
    for (const file of call.files) {
      const row = fileRow(call, file, { group, lookUp })
      const former = found.get(row.key)
      found.set(row.key, former === undefined ? row : joined(former, row))
    }
  return [...found.values()].flatMap((row): readonly ListRow[] =>
    row.cannot === null
      ? [row]
      : [
          row,
          {
            kind: 'note',
            key: `${row.key} note`,
            text: `Can’t be undone: ${row.cannot}`,
            isNested: row.isCommand,
          },
        ],
  )
}

function fileRow(
  { agentId, toolUseId, cause }: ListedCall,
  { path, shown, letter, added, removed, undone, alsoBy, cannot }: ListedFile,
  { group, lookUp: { agents, byUser } }: { readonly group: string; readonly lookUp: LookUp },
): FileRow {
  const isCommand = cause === 'command'
  return {
    kind: 'file',
    key: `${group} ${agentId} ${isCommand ? toolUseId : ''} ${path}`,
    agent: agents.get(agentId) ?? { agentId, name: agentId, color: '', worktree: null },
    toolUseIds: [toolUseId],
    isCommand,
    ...{ path, shown, letter, added, removed, undone },
    alsoBy: alsoBy.map((id) => agents.get(id)?.name ?? id),
    cannot: undone ? null : cannot,
    isChangedByUser: byUser.has(path),
  }
}

/** The row of earlier changes and a later one. Changes that are undone do not count beside others. */
function joined(former: FileRow, next: FileRow): FileRow {
  const alsoBy = [...new Set([...former.alsoBy, ...next.alsoBy])]
  const toolUseIds = [...former.toolUseIds, ...next.toolUseIds]
  if (former.undone !== next.undone) {
    const present = former.undone ? next : former
    return { ...present, alsoBy, toolUseIds: present.toolUseIds }
  }
  return {
    ...next,
    letter: former.letter === 'A' && next.letter !== 'D' ? 'A' : next.letter,
    added: sum(former.added, next.added),
    removed: sum(former.removed, next.removed),
    alsoBy,
    toolUseIds,
    cannot: former.cannot ?? next.cannot,
  }
}

function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}
