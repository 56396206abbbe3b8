/**
 * Mailboxes as folders of files (`<name>/{tmp,new,cur}`), which processes share without locks. A message is written in
 * `tmp` and appears complete in `new`. A process takes the message by renaming the file into `cur`, with its identity
 * in the name. If that process dies before it confirms the message, the next process takes the message.
 */
import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { mailboxNameFailure, messageSizeFailure } from '../../../../shared/messages/message-limits.ts'
import type { MailboxInfo } from '../../../../shared/workers/contract.ts'
import { FILE_MODE, makeFolder, syncFolder } from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { draftMark } from '../../../platform/system/draft-name.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { ageOf } from '../../../platform/system/file-times.ts'
import { identityOf, isRunning, type ProcessIdentity } from '../../../platform/system/process-identity.ts'
import { watchFolder } from '../../../platform/system/watch-folder.ts'
import type { Mailbox, MailboxMessage } from '../../../runtime/ports/ports.ts'
import { encodeMailboxMessage, messageStemOf } from './mailbox-file.ts'
import { type MailboxFileName, mailboxFileName, readMailboxFileName } from './mailbox-file-names.ts'
import { readMailboxMessage } from './read-mailbox-message.ts'

export interface MaildirOptions {
  /** The folder of all mailboxes; created with the first message. */
  readonly folder: string
  /** Called with a text for the user when a file is skipped or can't be removed. */
  readonly onProblem?: (message: string) => void
  /** Opens the file for a new message; `open` of Node by default. */
  readonly open?: (path: string, flags: string, mode: number) => Promise<FileHandle>
}

/** ms. An older file in `tmp` belongs to a writer that died. */
const DRAFT_AGE = 24 * 60 * 60 * 1000

export function createMaildirMailbox(options: MaildirOptions): Mailbox {
  const { folder, onProblem = () => {} } = options
  const foldersOf = (name: string) => ({
    tmp: join(folder, name, 'tmp'),
    new: join(folder, name, 'new'),
    cur: join(folder, name, 'cur'),
  })

  const put = async (message: MailboxMessage): Promise<Result<void>> => {
    const bytes = encodeMailboxMessage(message)
    const refused = mailboxNameFailure(message.to) ?? messageSizeFailure(bytes.length)
    if (refused) return fail(refused)
    const folders = foldersOf(message.to)
    const stem = messageStemOf(message.messageId)
    const draft = join(folders.tmp, `${stem}.${process.pid}.${draftMark()}`)
    try {
      for (const location of Object.values(folders)) await makeFolder(location)
      const handle = await (options.open ?? open)(draft, 'wx', FILE_MODE)
      try {
        await handle.writeFile(bytes)
        await handle.datasync()
      } finally {
        await handle.close()
      }
      await rename(draft, join(folders.new, mailboxFileName(stem)))
      await syncFolder(folders.new)
      return ok(undefined)
    } catch (thrown) {
      await unlink(draft).catch(() => undefined)
      return ioFailure(thrown, `The message to ${message.to} can’t be put in its mailbox`, folders.new)
    }
  }

  const take = async (name: string): Promise<Result<readonly MailboxMessage[]>> => {
    const refused = mailboxNameFailure(name)
    if (refused) return fail(refused)
    const folders = foldersOf(name)
    try {
      const me = await identityOf(process.pid)
      await claimAll(folders, me)
      await removeOldDrafts(folders.tmp)
      const messages: { readonly message: MailboxMessage; readonly stem: string }[] = []
      for (const { file, stem, taker } of await messagesIn(folders.cur)) {
        if (!isSame(taker, me)) continue
        const message = await readMailboxMessage({ file: join(folders.cur, file), stem, name, onProblem })
        if (message) messages.push({ message, stem })
      }
      messages.sort((one, other) => one.message.at - other.message.at || (one.stem < other.stem ? -1 : 1))
      return ok(messages.map(({ message }) => message))
    } catch (thrown) {
      return ioFailure(thrown, `The mailbox of ${name} can’t be read`, join(folder, name))
    }
  }

  const done = async (name: string, messageIds: readonly string[]): Promise<void> => {
    if (mailboxNameFailure(name) !== null || messageIds.length === 0) return
    const folders = foldersOf(name)
    const stems = new Set(messageIds.map(messageStemOf))
    for (const location of [folders.new, folders.cur])
      try {
        const gone = (await messagesIn(location)).filter(({ stem }) => stems.has(stem))
        for (const { file } of gone) await unlinkIfThere(join(location, file))
        if (gone.length > 0) await syncFolder(location)
      } catch (thrown) {
        // The message is delivered again, and its reader recognizes the id.
        onProblem(diskFailure(thrown, `A message that ${name} has read can’t be removed`, location).message)
      }
  }

  const list = async (): Promise<Result<readonly MailboxInfo[]>> => {
    try {
      const found: MailboxInfo[] = []
      for (const name of [...(await namesIn(folder))].sort()) {
        if (mailboxNameFailure(name) !== null || !(await isFolder(join(folder, name)))) continue
        const waiting = (await messagesIn(join(folder, name, 'new'))).length
        if (waiting > 0) found.push({ name, waiting })
      }
      return ok(found)
    } catch (thrown) {
      return ioFailure(thrown, 'The mailboxes can’t be listed', folder)
    }
  }

  const watch = (name: string, onNew: () => void) =>
    mailboxNameFailure(name) === null ? watchFolder(foldersOf(name).new, onNew) : () => {}

  return { put, take, done, watch, list }
}

/** Takes new messages, and messages that a dead process had taken. */
async function claimAll(
  folders: { readonly new: string; readonly cur: string },
  me: ProcessIdentity,
): Promise<void> {
  const held = new Set<string>()
  for (const { file, stem, taker } of await messagesIn(folders.cur))
    if (taker !== null && !isSame(taker, me) && (await isRunning(taker))) held.add(stem)
    else if (!isSame(taker, me))
      await renameIfThere(join(folders.cur, file), join(folders.cur, mailboxFileName(stem, me)))
  // A message that was put again belongs to the process that holds the first copy.
  // A listing may miss a file that appears meanwhile and have a later one: only an empty one ends the search.
  for (;;) {
    const unread = (await messagesIn(folders.new)).filter(({ stem }) => !held.has(stem))
    if (unread.length === 0) return
    await makeFolder(folders.cur)
    for (const { file, stem } of unread)
      await renameIfThere(join(folders.new, file), join(folders.cur, mailboxFileName(stem, me)))
  }
}

function isSame(one: ProcessIdentity | null, other: ProcessIdentity): boolean {
  return one !== null && one.pid === other.pid && one.start === other.start
}

async function messagesIn(folder: string): Promise<readonly MailboxFileName[]> {
  const files = await namesIn(folder)
  return files.map(readMailboxFileName).filter((name) => name !== null)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}

/** If two processes rename the same file, the second one finds no file. */
async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch(unlessGone)
}

async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch(unlessGone)
}

function unlessGone(thrown: unknown): void {
  if (codeOf(thrown) !== 'ENOENT') throw thrown
}

/** Drafts that can't be removed stay until the next call. */
async function removeOldDrafts(tmp: string): Promise<void> {
  for (const name of await namesIn(tmp).catch(() => [])) {
    const path = join(tmp, name)
    const found = await stat(path).catch(() => null)
    if (found !== null && ageOf(found.mtimeMs) > DRAFT_AGE) await unlink(path).catch(() => undefined)
  }
}

function ioFailure(thrown: unknown, what: string, path: string) {
  const { message } = diskFailure(thrown, what, path)
  return fail({ type: 'io', message, cause: thrown })
}
