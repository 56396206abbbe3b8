/** How much agents changed, in all and after each message. */
import { countOf } from '../kernel/amounts.ts'
import type { ChangesList, ListedCall } from './changes.ts'

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
