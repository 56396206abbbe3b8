/** A command's output as agents and the window get it. */
import { maskAddresses } from '../../../shared/kernel/mask-secrets.ts'

/** Longer words are shown before their end. */
const LONGEST_WORD = 2000

interface ShownOutput {
  /** The whole output, or whole lines of it. */
  readonly whole: (text: string) => string
  /** The output piece by piece. The last word of a piece waits for its end, so that no address is shown in parts. */
  readonly piece: (text: string) => string
}

/** Git prints the addresses of remotes as they are in its settings, with passwords. */
export function shownOutput(command: string): ShownOutput {
  if (!/(^|[\s/;&|(`])git\s/.test(command)) return { whole: (text) => text, piece: (text) => text }
  let waiting = ''
  return {
    whole: maskAddresses,
    piece: (text) => {
      const all = waiting + text
      const end = all.search(/\S*$/)
      const shown = all.length - end > LONGEST_WORD ? all.length : end
      waiting = all.slice(shown)
      return maskAddresses(all.slice(0, shown))
    },
  }
}
