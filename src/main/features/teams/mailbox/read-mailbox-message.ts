/** Reads a taken message. An invalid file is set aside and hides no other message. */
import { lstat, readFile, rename } from 'node:fs/promises'
import { messageOf, sentence } from '../../../../shared/kernel/result.ts'
import { LARGEST_MESSAGE } from '../../../../shared/messages/message-limits.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import type { MailboxMessage } from '../../../runtime/ports/ports.ts'
import { decodeMailboxMessage, messageStemOf } from './mailbox-file.ts'
import { BROKEN } from './mailbox-file-names.ts'

interface MailboxLocation {
  readonly file: string
  readonly stem: string
  /** The name of the mailbox. */
  readonly name: string
  readonly onProblem: (message: string) => void
}

/** Temporary errors: the message is intact, and the next call reads it. */
const TEMPORARY_ERRORS = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR', 'EIO']

/** Null if the message was confirmed meanwhile, or its problem was reported. */
export async function readMailboxMessage(location: MailboxLocation): Promise<MailboxMessage | null> {
  const { file, stem, name } = location
  try {
    const found = await lstat(file)
    if (!found.isFile()) return await putAside(location, 'is not a plain file')
    if (found.size > LARGEST_MESSAGE) return await putAside(location, 'is too large for a message')
    const message = decodeMailboxMessage(await readFile(file))
    if (!message.ok) return await putAside(location, message.failure)
    const { messageId, to } = message.value
    if (messageStemOf(messageId) !== stem)
      return await putAside(location, 'has a name that does not match its id')
    if (to === name) return message.value
    // On a file system that ignores case, `Scout` and `scout` share a folder.
    if (to.toLowerCase() === name.toLowerCase()) return null
    return await putAside(location, `is addressed to ${JSON.stringify(to.slice(0, 100))}`)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT') return null
    if (!TEMPORARY_ERRORS.includes(code)) return putAside(location, `can’t be read: ${messageOf(thrown)}`)
    location.onProblem(
      `A message in the mailbox of ${name} can’t be read now and stays in the mailbox: ${messageOf(thrown)}`,
    )
    return null
  }
}

async function putAside({ file, name, onProblem }: MailboxLocation, why: string): Promise<null> {
  const aside = `${file}${BROKEN}`
  try {
    await rename(file, aside)
    onProblem(
      `A file in the mailbox of ${name} ${sentence(why)} It was set aside as ${aside}; other messages are not affected.`,
    )
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT')
      onProblem(
        `A file in the mailbox of ${name} ${why}, and can’t be set aside (${messageOf(thrown)}): ${file}. Other messages are not affected.`,
      )
  }
  return null
}
