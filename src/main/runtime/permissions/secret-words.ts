/** Secret files that a command names, whatever it does with them: `cp ~/.ssh/id_rsa x`, `tar cf x .aws`. */
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { holdsHomeSecrets, isSecret } from '../paths/sensitive-files.ts'
import { type Concern, locate } from './concern.ts'
import { holdsTroupeData } from './data-folder.ts'
import { isSecretFile, named } from './decide-file.ts'
import type { LocatedPath } from './locate-path.ts'
import type { PermissionConcern } from './permission-concern.ts'
import { fileRule, ruleForFile } from './permission-rule.ts'
import type { ShellWord } from './shell/shell-syntax.ts'

interface NamedWords {
  /** The program first. */
  readonly words: readonly ShellWord[]
  readonly folder: string
  /** Whether only paths of the home folder are judged, because the others are known to be harmless or judged already. */
  readonly onlyHome: boolean
}

/** Programs that show no content of the files that they name. */
const SHOWS_NO_CONTENT: ReadonlySet<string> = new Set(
  (
    'ls stat du df test [ [[ cd pushd realpath readlink basename dirname echo printf which tree file touch mkdir ' +
    'rmdir rm unlink shred truncate chmod chown chgrp export'
  ).split(' '),
)

/** The last operand is written. */
const WRITES_LAST: ReadonlySet<string> = new Set(['cp', 'mv', 'ln', 'install', 'rsync'])

export async function secretWords(
  question: PermissionConcern,
  { words, folder, onlyHome }: NamedWords,
): Promise<readonly Concern[]> {
  const program = words[0]?.value ?? ''
  const listsNames = program === 'find' && !words.some(({ value }) => value?.startsWith('-exec'))
  if (SHOWS_NO_CONTENT.has(program) || listsNames) return []
  const operands = program === 'sed' ? words.slice(1).flatMap(wordsOfScript) : words.slice(1)
  const last = operands.at(-1)
  const intoLast =
    WRITES_LAST.has(program) && !operands.some(({ text }) => /^(-t|--target-directory)/.test(text))
  for (const word of operands) {
    if (intoLast && word === last) continue
    const inHome = pathInHome(word)
    if (inHome !== null) {
      if (showsHomeSecret(inHome)) {
        const name = makeVisible(inHome === '' ? '~' : `~/${inHome}`)
        return [{ ...secretConcern(name), inSandbox: 'fails' }]
      }
      continue
    }
    // `of=x`, `--file=x`, `-F file=@x`
    const path = word.value?.replace(OPTION_START, '') ?? ''
    if (onlyHome || path === '' || path.startsWith('-')) continue
    const file = await locate(question, path, folder)
    if (typeof file === 'string' || !(await showsSecret(question, file))) continue
    if (ruleForFile(question.rules, { target: 'read', file, secret: true })) continue
    return [
      {
        ...secretConcern(named(file)),
        rule: fileRule('read', file),
        ...(file.below === null && { inSandbox: 'fails' }),
      },
    ]
  }
  return []
}

/** A script of sed names files too: `R .env`. */
function wordsOfScript(word: ShellWord): readonly ShellWord[] {
  const parts = word.value?.split(/[\s;{}]+/) ?? []
  return parts.length < 2 ? [word] : parts.map((part) => ({ ...word, value: part, text: part, start: part }))
}

const OPTION_START = /^(-*[\w-]+=)?@?/

function secretConcern(name: string): Concern {
  return { because: `The command names ${name}, which may contain a secret.`, weight: 'secret' }
}

async function showsSecret(question: PermissionConcern, file: LocatedPath): Promise<boolean> {
  if (isSecretFile(file)) return true
  return file.below === null && (await holdsSecrets(question, file))
}

/** Whether a folder outside the agent's folder is a home folder, or one in it that contains secrets. */
export async function holdsSecrets(question: PermissionConcern, file: LocatedPath): Promise<boolean> {
  if (await holdsTroupeData(question, file)) return true
  const names = file.real.split('/').filter((name) => name !== '')
  return names.some((_, start) => holdsHomeSecrets(names.slice(start).join('/')))
}

/** `~/.ssh/id_rsa` and `"$HOME"/.ssh/id_rsa` without the home folder; null: another path. */
function pathInHome({ text, value }: ShellWord): string | null {
  if (value !== null) return null
  const plain = text.replace(/["'\\]/g, '').replace(OPTION_START, '')
  const found = /^(?:~[\w-]*|\$HOME|\$\{HOME\})(\/.*)?$/s.exec(plain)
  return found === null ? null : (found[1] ?? '').replace(/^\/+/, '')
}

/** A pattern counts by the folders before it. */
function showsHomeSecret(path: string): boolean {
  const names = path.split('/')
  const pattern = names.findIndex((name) => /[*?[{$`]/.test(name))
  const known = (pattern < 0 ? names : names.slice(0, pattern)).join('/')
  return known === '' || holdsHomeSecrets(known) || isSecret(path)
}
