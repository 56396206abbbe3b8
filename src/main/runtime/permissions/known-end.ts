/** Files to change of which only the end of the path is known before the command runs: `~/.bashrc`, `"$X/.git/config"`. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { Concern } from './concern.ts'
import type { ShellWord } from './shell/shell-syntax.ts'
import { isProtected } from './startup-files.ts'

/**
 * Why a change of such a file needs permission in every mode, or null. A known path counts too: its folder may be unknown.
 * @param wholeTree whether the command changes everything below a folder
 */
export function knownEndConcern(
  word: ShellWord,
  { dataFolder, wholeTree }: { readonly dataFolder: string | null; readonly wholeTree: boolean },
): Concern | null {
  const plain = word.value ?? word.text.replace(/["'\\]/g, '')
  const path = plain.replace(/^-*[\w-]+=/, '')
  const end = knownEnd(path)
  const isHome = wholeTree && /^(~|\$HOME|\$\{HOME\})(\/?|\/\.?\*)$/.test(path)
  if (!isHome && !isProtected(end) && !isInData(end, dataFolder, wholeTree)) return null
  const shown = makeVisible(word.text.slice(0, 300))
  return isHome
    ? { because: `${shown} is the whole home folder.`, weight: 'sensitive' }
    : {
        because: `${shown} may be a file that controls what runs or is allowed later, so every change needs permission.`,
        weight: 'sensitive',
      }
}

/** Whether a command that can't be parsed names a file of which every change needs permission. */
export function namesProtected(command: string): boolean {
  return command.split(/[\s"'\\=;|&<>,]+/).some((word) => isProtected(knownEnd(word).replace(/^\/+/, '')))
}

/** What follows the last name with a tilde, a variable, a substitution or a pattern. */
function knownEnd(path: string): string {
  const names = path.split('/')
  const last = names.findLastIndex((name) => /[~$`*?[\]{}()]/.test(name))
  return names.slice(last + 1).join('/')
}

/** Whether the end may lie in the data folder, or, for a whole tree, be a folder around it. */
function isInData(end: string, dataFolder: string | null, wholeTree: boolean): boolean {
  if (dataFolder === null || end === '') return false
  const names = end.split('/').filter((name) => name !== '')
  const isBelow = names.some((_, at) => at > 0 && dataFolder.endsWith(`/${names.slice(0, at + 1).join('/')}`))
  return isBelow || (wholeTree && names.length > 0 && `${dataFolder}/`.includes(`/${names.join('/')}/`))
}
