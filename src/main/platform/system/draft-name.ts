/** The name of the file that becomes another file once it is written. */
import { randomBytes } from 'node:crypto'

export const newDraftName = (): string => `.troupe-${randomBytes(9).toString('hex')}.tmp`

/** Whether a path is that of such a file, of this program or of another one. */
export const isDraft = (path: string): boolean => /(^|\/)\.troupe-[0-9a-f]{18}\.tmp$/.test(path)
