/** Adds, changes, moves and removes entries of `permissions` in the user's settings files. All else is kept. */
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { EditableSource, EntryEdit, EntryPlace } from '../../../shared/rules/written-rule.ts'
import { parseJson } from '../../platform/json/json-text.ts'
import { withListItem } from '../../platform/json/splice-json.ts'
import { editTextFile } from '../../platform/system/edit-text-file.ts'
import { codeOf } from '../../platform/system/error-code.ts'

interface PermissionFiles {
  readonly folder: string
  readonly home: string
  readonly dataFolder: string
}

/** The file of a source. */
export function permissionFile(
  { folder, home, dataFolder }: PermissionFiles,
  source: EditableSource,
): string {
  switch (source) {
    case 'own':
      return join(dataFolder, 'settings.json')
    case 'user':
      return join(home, '.claude', 'settings.json')
    case 'local':
      return join(folder, '.claude', 'settings.local.json')
  }
}

/**
 * Fails with `changed` if the entry is not in its file any more, with `taken` if the new one is there already, and
 * with `io` or `json` for a file that then is unchanged. Entries of `saved` are not edited here.
 */
export async function editPermissions(
  files: PermissionFiles,
  { from, to }: EntryEdit,
): Promise<Result<void>> {
  const source = from === null || from.source === 'saved' ? null : { ...from, source: from.source }
  if (source !== null && to !== null && source.source === to.source)
    return edit(files, to.source, (text) => changedIn(text, source, to))
  if (source !== null) {
    const isThere = await edit(files, source.source, (text) => {
      const removed = removedFrom(text, source)
      return removed.ok ? ok(text) : removed
    })
    if (!isThere.ok) return isThere
  }
  if (to !== null) {
    // First to the new place: a rule must not be lost.
    const added = await edit(files, to.source, (text) => appendedTo(text, to))
    if (!added.ok) return added
  }
  return source === null ? ok(undefined) : edit(files, source.source, (text) => removedFrom(text, source))
}

async function edit(
  files: PermissionFiles,
  source: EditableSource,
  change: (text: string) => Result<string>,
): Promise<Result<void>> {
  const file = permissionFile(files, source)
  if (source === 'local' && (await isLink(dirname(file))))
    return fail({
      type: 'io',
      message: `${dirname(file)} is a link, so rules in it do not count. Edit it by hand.`,
    })
  const edited = await editTextFile(file, change)
  if (edited.ok || !isAboutEntry(edited.failure.type)) return edited
  return fail({ ...edited.failure, message: edited.failure.message.replace(FILE, file) })
}

/** Stands for the file's path in messages. */
const FILE = '⟨file⟩'
const isAboutEntry = (type: string): boolean => type === 'changed' || type === 'taken'

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false
    throw thrown
  }
}

// ---- texts --------------------------------------------------------------------------------------

function appendedTo(text: string, to: EntryPlace): Result<string> {
  const found = indexOf(text, to)
  if (!found.ok) return found
  if (found.value >= 0)
    return fail({ type: 'taken', message: `${to.text} is already in "${to.list}" of ${FILE}.` })
  return withListItem(text, ['permissions', to.list], { kind: 'append', value: to.text })
}

function removedFrom(text: string, from: EntryPlace): Result<string> {
  const found = indexOf(text, from)
  if (!found.ok) return found
  if (found.value < 0) return gone(from)
  return withListItem(text, ['permissions', from.list], { kind: 'remove', index: found.value })
}

function changedIn(text: string, from: EntryPlace, to: EntryPlace): Result<string> {
  if (from.list !== to.list) {
    const removed = removedFrom(text, from)
    return removed.ok ? appendedTo(removed.value, to) : removed
  }
  const found = indexOf(text, from)
  if (!found.ok) return found
  if (found.value < 0) return gone(from)
  if (from.text === to.text) return ok(text)
  const other = indexOf(text, to)
  if (other.ok && other.value >= 0) return appendedTo(text, to)
  const change = { kind: 'set', index: found.value, value: to.text } as const
  return withListItem(text, ['permissions', to.list], change)
}

const gone = ({ list, text }: EntryPlace): Result<string> =>
  fail({
    type: 'changed',
    message: `${text} is no longer in "${list}" of ${FILE}: the file has changed meanwhile. Nothing was changed.`,
  })

/** -1 if the list has no such entry. */
function indexOf(text: string, { list, text: entry }: EntryPlace): Result<number> {
  if (text.trim() === '') return ok(-1)
  const read = parseJson(text)
  if (!read.ok)
    return fail({ type: 'json', message: `It is not valid JSON: ${sentence(read.failure.message)}` })
  const entries = Object(Object(read.value)['permissions'])[list]
  const matches = (one: unknown) => typeof one === 'string' && one.trim() === entry
  return ok(Array.isArray(entries) ? entries.findIndex(matches) : -1)
}
