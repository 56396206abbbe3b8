/**
 * Stores unsent messages: a folder for each place, with `draft.json` and a file for each attachment. A draft is
 * written while the user types, so an attachment, which may be large, is written only once.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import {
  type DraftAttachment,
  type DraftStorage,
  type DraftToStore,
  draftAttachment,
  draftToStore,
  type StoredDraft,
} from '../../../shared/messages/draft.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { inParallel } from '../../platform/system/in-parallel.ts'

const DRAFT = 'draft.json'
const FILES_AT_ONCE = 8
const draftFile = draftToStore.omit({ added: true })

/** @param folder the folder of all drafts; made with the first draft */
export function createDraftFiles(folder: string): DraftStorage {
  const lock = new KeyedLock()
  return {
    list: async () => {
      const names = await entriesOf(folder)
      const drafts = await inParallel(names, FILES_AT_ONCE, (name) => readDraft(join(folder, name)))
      return drafts.filter((draft) => draft !== null)
    },
    save: (draft) => {
      const own = join(folder, folderName(draft.place))
      return lock.withLock(own, () => writeDraft(own, draft))
    },
  }
}

async function writeDraft(folder: string, { added, ...draft }: DraftToStore): Promise<void> {
  if (draft.text === '' && draft.attachments.length === 0 && draft.recipientId === null)
    return rm(folder, { recursive: true, force: true })
  // Attachments first: the draft names no file that is not there. A kill of this process loses nothing that was
  // written, so only the comments of a review, an hour's work at times, are flushed to the disk.
  for (const attachment of added)
    await replaceFile(attachmentFile(folder, attachment.key), JSON.stringify(attachment), { durable: false })
  await replaceFile(join(folder, DRAFT), JSON.stringify(draft), {
    durable: draft.place.startsWith('review:'),
  })
  const wanted = new Set([DRAFT, ...draft.attachments.map((key) => `${key}.json`)])
  for (const name of await entriesOf(folder))
    if (!wanted.has(name)) await rm(join(folder, name), { force: true })
}

/** The draft, without attachments that are not readable; null: no readable draft. */
async function readDraft(folder: string): Promise<StoredDraft | null> {
  const draft = await readJson(join(folder, DRAFT), draftFile)
  if (draft === null) return null
  const attachments: DraftAttachment[] = []
  for (const key of draft.attachments) {
    const attachment = await readJson(attachmentFile(folder, key), draftAttachment)
    if (attachment !== null) attachments.push(attachment)
  }
  return { ...draft, attachments }
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return null
  }
}

async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

const attachmentFile = (folder: string, key: string) => join(folder, `${key}.json`)

/** Places contain paths of any length. */
function folderName(place: string): string {
  return createHash('sha256').update(place).digest('hex').slice(0, 32)
}
