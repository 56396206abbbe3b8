/** The deleted definitions: a folder for each, with `definition.md` and its origin in `place.json`. */
import { readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { DefinitionTrash, TrashedDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { readPlainFile } from '../../platform/system/plain-text.ts'
import { realOf } from './agent-folders.ts'

/** The origin of a deleted file. Its agents folder must still be inside `within` on restore. */
const trashedLocation = z.object({ file: z.string(), folder: z.string(), within: z.string().nullable() })
export type TrashedLocation = z.infer<typeof trashedLocation>

/** The time of the deletion in base 36, then a random part. */
const TRASH_ID = /^([a-z0-9]+)-[0-9a-f]{12}$/

export const TRASHED_TEXT = 'definition.md'
/** What was in the editor and not in the file. */
export const TRASHED_UNSAVED = 'unsaved.md'
export const TRASHED_LOCATION = 'place.json'

/** The folder of one deleted definition; null for an id of another shape, which could lead elsewhere. */
export function trashedFolder(trash: string, trashId: string): string | null {
  return TRASH_ID.test(trashId) ? join(trash, trashId) : null
}

/** The origin of a deleted file, or null if the folder has none. */
export async function locationOf(folder: string): Promise<TrashedLocation | null> {
  try {
    const read = trashedLocation.safeParse(JSON.parse(await readFile(join(folder, TRASHED_LOCATION), 'utf8')))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

/** All deleted definitions. Folders of another shape and incomplete ones are left out. Fails with `io`. */
export async function listTrash(trash: string): Promise<Result<DefinitionTrash>> {
  try {
    const ids = (await readdir(trash)).filter((id) => TRASH_ID.test(id))
    const found: (TrashedDefinition | null)[] = []
    for (const id of ids) found.push(await readEntry(trash, id))
    return ok({
      folder: trash,
      definitions: found.filter((each) => each !== null).sort((a, b) => b.trashedAt - a.trashedAt),
    })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ok({ folder: trash, definitions: [] })
    return fail({ type: 'io', message: `The trash ${trash} could not be read: ${messageOf(thrown)}` })
  }
}

async function readEntry(trash: string, trashId: string): Promise<TrashedDefinition | null> {
  const location = await locationOf(join(trash, trashId))
  if (location === null) return null
  const text = await readTrashed(trash, trashId)
  // A file that is gone was restored; one that can't be read can still be restored or deleted.
  if (!text.ok && text.failure.type === 'not-found') return null
  const stem = basename(location.file).replace(/\.md$/i, '')
  const read = text.ok ? readDefinition(text.value, { stem, source: 'the trash' }) : null
  return {
    trashId,
    name: read?.definition?.name ?? stem,
    file: location.file,
    trashedAt: Number.parseInt(TRASH_ID.exec(trashId)?.[1] ?? '0', 36),
  }
}

/** The text of a deleted definition. Fails with `not-found`, or `io` if the text can't be read. */
export async function readTrashed(trash: string, trashId: string): Promise<Result<string>> {
  const folder = trashedFolder(trash, trashId)
  if (folder === null) return fail(notInTrash)
  try {
    if (!(await readdir(folder)).includes(TRASHED_TEXT)) return fail(notInTrash)
  } catch {
    return fail(notInTrash)
  }
  const found = await readPlainFile(join(folder, TRASHED_TEXT), await realOf(folder))
  return found.kind === 'text' ? ok(found.text) : fail({ type: 'io', message: found.message })
}

/** Deletes definitions in the trash for good; those that are gone already count as deleted. Fails with `not-found` or `io`. */
export async function deleteTrashed(trash: string, trashIds: readonly string[]): Promise<Result<void>> {
  const folders = trashIds.map((id) => trashedFolder(trash, id))
  if (folders.includes(null)) return fail(notInTrash)
  try {
    for (const folder of folders) if (folder !== null) await rm(folder, { recursive: true, force: true })
    return ok(undefined)
  } catch (thrown) {
    return fail({ type: 'io', message: `The trash ${trash} could not be emptied: ${messageOf(thrown)}` })
  }
}

export const notInTrash: Failure = { type: 'not-found', message: 'The file is no longer in the trash.' }
