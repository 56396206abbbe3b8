/** Reads one taken letter. A file that is none is put aside, so that it hides no other. */
import { lstat, readFile, rename } from 'node:fs/promises'
import { LARGEST_MESSAGE } from '../../../shared/message-limits.ts'
import { messageOf } from '../../../shared/result.ts'
import type { MailboxMessage } from '../../runtime/ports.ts'
import { codeOf } from '../system/error-code.ts'
import { decodeMailboxMessage, stemOf } from './mailbox-file.ts'
import { BROKEN } from './mailbox-file-names.ts'

interface MailboxPlace {
  readonly file: string
  readonly stem: string
  /** The mailbox it lies in. */
  readonly name: string
  readonly onProblem: (message: string) => void
}

/** What passes by itself: the letter is good, and is read the next time. */
const PASSING = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR', 'EIO']

/** Null where there is none to give: it is done already, or the problem was told. */
export async function readMailboxMessage(location: MailboxPlace): Promise<MailboxMessage | null> {
  const { file, stem, name } = location
  try {
    const found = await lstat(file)
    if (!found.isFile()) return await putAside(location, 'is not a plain file')
    if (found.size > LARGEST_MESSAGE) return await putAside(location, 'is too large for a message')
    const message = decodeMailboxMessage(await readFile(file))
    if (!message.ok) return await putAside(location, message.failure)
    const { messageId, to } = message.value
    if (stemOf(messageId) !== stem) return await putAside(location, 'has a name that is not its own')
    if (to === name) return message.value
    // Where the disk takes `Scout` and `scout` for one, two mailboxes lie in one folder.
    if (to.toLowerCase() === name.toLowerCase()) return null
    return await putAside(location, `is addressed to ${JSON.stringify(to.slice(0, 100))}`)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT') return null
    if (!PASSING.includes(code)) return putAside(location, `can’t be read: ${messageOf(thrown)}`)
    location.onProblem(
      `A message in the mailbox of ${name} can’t be read now, and waits there: ${messageOf(thrown)}`,
    )
    return null
  }
}

async function putAside({ file, name, onProblem }: MailboxPlace, why: string): Promise<null> {
  const aside = `${file}${BROKEN}`
  try {
    await rename(file, aside)
    onProblem(
      `A file in the mailbox of ${name} ${why}. It was put aside as ${aside}; other messages are not affected.`,
    )
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT')
      onProblem(
        `A file in the mailbox of ${name} ${why}, and can’t be put aside (${messageOf(thrown)}): ${file}. Other messages are not affected.`,
      )
  }
  return null
}
