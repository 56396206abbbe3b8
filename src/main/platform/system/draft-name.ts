/** The name of the file that becomes another file once it is written. */
import { randomHex } from './random-names.ts'

export const newDraftName = (): string => `.troupe-${randomHex(9)}.tmp`

/** Whether a path is that of such a file, of this program or of another one. */
export const isDraft = (path: string): boolean => /(^|\/)\.troupe-[0-9a-f]{18}\.tmp$/.test(path)

/** Part of the name of a temporary file or folder, which no other one has: 12 hexadecimal digits. */
export const draftMark = (): string => randomHex(6)
