/** Reads one taken letter. A file that is none is put aside, so that it hides no other. */
import { lstat, readFile, rename } from 'node:fs/promises'
import { LARGEST_LETTER } from '../../../shared/letter-limits.ts'
import { messageOf } from '../../../shared/result.ts'
import type { Letter } from '../../runtime/ports.ts'
import { codeOf } from '../transcripts/disk-failure.ts'
import { decodeLetter, stemOf } from './letter-file.ts'
import { BROKEN } from './letter-names.ts'

interface LetterPlace {
  readonly file: string
  readonly stem: string
  /** The mailbox it lies in. */
  readonly name: string
  readonly onProblem: (message: string) => void
}

/** What passes by itself: the letter is good, and is read the next time. */
const PASSING = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR', 'EIO']

/** Null where there is none to give: it is done already, or the problem was told. */
export async function readLetter(place: LetterPlace): Promise<Letter | null> {
  const { file, stem, name } = place
  try {
    const found = await lstat(file)
    if (!found.isFile()) return await putAside(place, 'is not a plain file')
    if (found.size > LARGEST_LETTER) return await putAside(place, 'is too large for a letter')
    const letter = decodeLetter(await readFile(file))
    if (!letter.ok) return await putAside(place, letter.failure)
    const { messageId, to } = letter.value
    if (stemOf(messageId) !== stem) return await putAside(place, 'has a name that is not its own')
    if (to === name) return letter.value
    // Where the disk takes `Scout` and `scout` for one, two mailboxes lie in one folder.
    if (to.toLowerCase() === name.toLowerCase()) return null
    return await putAside(place, `is addressed to ${JSON.stringify(to.slice(0, 100))}`)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT') return null
    if (!PASSING.includes(code)) return putAside(place, `can’t be read: ${messageOf(thrown)}`)
    place.onProblem(
      `A message in the mailbox of ${name} can’t be read now, and waits there: ${messageOf(thrown)}`,
    )
    return null
  }
}

async function putAside({ file, name, onProblem }: LetterPlace, why: string): Promise<null> {
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
