/** How much agents changed: in all, after each message, and up to a past moment. */
import { countOf } from '../kernel/amounts.ts'
import type { ChangeKey, ChangesList, ListedCall } from './changes.ts'

export interface Amounts {
  readonly files: number
  readonly commands: number
  /** Lines of changes that are not undone. */
  readonly added: number
  readonly removed: number
  /** Whether an undo can take back something. */
  readonly canUndo: boolean
}

export const NO_AMOUNTS: Amounts = { files: 0, commands: 0, added: 0, removed: 0, canUndo: false }

/** Whether a call has something to show. */
export const isListed = ({ files, ignored, note }: ListedCall) =>
  files.length > 0 || ignored > 0 || note !== ''

/** Whether the list has something to show. */
export function hasChanges(list: ChangesList | null): boolean {
  return list?.calls.some(isListed) === true
}

export function amountsOf(calls: readonly ListedCall[]): Amounts {
  const all = calls.flatMap((call) => call.files)
  const present = all.filter(({ undone }) => !undone)
  return {
    files: new Set(all.map(({ path }) => path)).size,
    commands: calls.filter(({ cause }) => cause === 'command').length,
    added: present.reduce((total, file) => total + (file.added ?? 0), 0),
    removed: present.reduce((total, file) => total + (file.removed ?? 0), 0),
    canUndo: present.some(({ cannot }) => cannot === null),
  }
}

/** Everything together. `files`: those with a change of an agent that is not undone. */
export function changesTotalsOf(list: ChangesList): Amounts {
  const files = new Set(
    list.calls.flatMap((call) => call.files.filter(({ undone }) => !undone)).map(({ path }) => path),
  )
  return { ...amountsOf(list.calls), files: files.size }
}

const summaries = new WeakMap<ChangesList, ReadonlyMap<number, string>>()

/** "7 files, 2 commands" after the message with this number; null: nothing changed. */
export function messageSummary(list: ChangesList | null, seq: number): string | null {
  if (list === null) return null
  const known = summaries.get(list) ?? summariesOf(list)
  summaries.set(list, known)
  return known.get(seq) ?? null
}

function summariesOf({ calls }: ChangesList): ReadonlyMap<number, string> {
  const byMessage = new Map<number | null, ListedCall[]>()
  for (const call of calls.filter(isListed))
    byMessage.set(call.messageSeq, [...(byMessage.get(call.messageSeq) ?? []), call])
  const texts = new Map<number, string>()
  for (const [seq, own] of byMessage) {
    const { files, commands } = amountsOf(own)
    const parts = [files > 0 ? countOf(files, 'file') : '', commands > 0 ? countOf(commands, 'command') : '']
    if (seq !== null) texts.set(seq, parts.filter((part) => part !== '').join(', '))
  }
  return texts
}

/**
 * The list as it was at a past moment, with what was undone then. Nothing of it can be undone from there. Steps that
 * another program recorded more precisely later are where that record is; worktrees are as they are now.
 *
 * @param moment the last event of that moment, and its time in ms since the epoch
 * @param cannot why nothing can be undone, for the user
 */
export function changesAt(
  whole: ChangesList,
  { order, at }: { readonly order: number; readonly at: number },
  cannot: string,
): ChangesList {
  const undone = new Set<string>()
  for (const { isRedo, changes } of whole.undos.filter((undo) => undo.order <= order))
    for (const key of changes.map(keyText)) undone[isRedo ? 'delete' : 'add'](key)
  const calls = whole.calls.filter((call) => call.order <= order)
  const authors = new Map<string, Set<string>>()
  for (const { agentId, files } of calls)
    for (const { path } of files) authors.set(path, (authors.get(path) ?? new Set()).add(agentId))
  return {
    ...whole,
    calls: calls.map((call) => ({
      ...call,
      files: call.files.map((file) => {
        // What a branch copied is undone in the original.
        if (call.order < 0) return { ...file, cannot }
        const others = [...(authors.get(file.path) ?? []), ...file.maybeBy]
        return {
          ...file,
          undone: undone.has(keyText({ ...call, path: file.path })),
          alsoBy: [...new Set(others.filter((id) => id !== call.agentId))],
          cannot,
        }
      }),
    })),
    agents: whole.agents.filter(({ agentId }) => calls.some((call) => call.agentId === agentId)),
    messages: whole.messages.filter((message) => message.order <= order),
    user: whole.user.filter(({ since }) => since <= at),
    undos: whole.undos.filter((undo) => undo.order <= order),
    redo: null,
  }
}

/** Identifies a change in sets. */
export const keyText = ({ agentId, toolUseId, path }: ChangeKey): string =>
  `${agentId}\0${toolUseId}\0${path}`
