/** Finds the git calls in a command, also inside wrappers and inside scripts passed as an argument. */
import type { ShellWord } from './shell-syntax.ts'

export interface GitCall {
  /** The words after `git`. */
  readonly words: readonly ShellWord[]
  /** The words before `git`: a wrapper, which may change the folder. */
  readonly before: readonly ShellWord[]
  /** False if the command before `git` may not run it. */
  readonly sure: boolean
}

interface FoundGit {
  readonly calls: readonly GitCall[]
  /** Scripts for a shell: `sh -c TEXT`. Null for an unknown script that mentions git. */
  readonly scripts: readonly (string | null)[]
}

export const SHELLS: ReadonlySet<string> = new Set('sh bash dash zsh ksh ash fish'.split(' '))

/** Commands that run the command in their arguments. */
const RUNNERS: ReadonlySet<string> = new Set(
  (
    'env command nohup nice time timeout xargs sudo doas exec builtin stdbuf setsid ionice parallel watch ' +
    'flock script unbuffer chronic caffeinate busybox entr strace ltrace faketime trap coproc'
  ).split(' '),
)

/** Commands that never run their arguments, so `git` is an ordinary word. */
export const NON_RUNNERS: ReadonlySet<string> = new Set(
  (
    'echo printf grep egrep fgrep rg ag which type whereis man info help cat head tail less more ls stat wc sort uniq ' +
    'sed awk cut tr diff test [ mkdir touch rm mv cp ln cd pushd tee file basename dirname realpath hash alias ' +
    'apt apt-get brew dnf yum apk pacman dpkg snap export declare'
  ).split(' '),
)

export function findGitCalls(words: readonly ShellWord[]): FoundGit {
  const calls: GitCall[] = []
  const scripts: (string | null)[] = []
  const name = nameOf(words[0])
  if (name === 'eval') {
    scripts.push(scriptOf(words.slice(1)))
    return { calls, scripts }
  }
  if (name === 'find') {
    const run = words.findIndex(({ value }) => /^-(exec|ok)(dir)?$/.test(value ?? ''))
    return run < 0 ? { calls, scripts } : findGitCalls(words.slice(run + 1))
  }
  const isRunner = RUNNERS.has(name)
  if (NON_RUNNERS.has(name)) return { calls, scripts }
  for (const [index, word] of words.entries()) {
    const program = nameOf(word)
    const rest = words.slice(index + 1)
    const isStart = index === 0 || isRunner
    if (program === 'git' || /^git-[a-z][a-z-]*$/.test(program)) {
      const verb = program === 'git' ? [] : [known(program.slice('git-'.length))]
      const added = name === 'xargs' || name === 'parallel' ? [anything] : []
      calls.push({ words: [...verb, ...rest, ...added], before: words.slice(0, index), sure: isStart })
      break
    }
    if (isStart && SHELLS.has(program)) {
      const option = rest.findIndex(({ value }) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(value ?? ''))
      const script = rest.slice(option + 1).find(({ value }) => value === null || !/^[-+]/.test(value))
      if (option >= 0 && script) scripts.push(scriptOf([script]))
      break
    }
    // `env -S "git stash"`, `watch "git pull"`
    if (isRunner && index > 0 && /\s/.test(word.value ?? '') && mentionsGit(word.value ?? ''))
      scripts.push(word.value)
  }
  return { calls, scripts: scripts.filter((script) => script === null || script !== '') }
}

/** Stands for any number of unknown words. */
const anything: ShellWord = { text: 'further arguments', value: null, start: '', glob: false }

/** The words as one script. An unknown script is null if it mentions git, otherwise empty. */
function scriptOf(words: readonly ShellWord[]): string | null {
  if (words.every(({ value }) => value !== null)) return words.map(({ value }) => value).join(' ')
  return words.some(({ text }) => mentionsGit(text)) ? null : ''
}

export function mentionsGit(text: string): boolean {
  return /(?:^|[^\w.-])git(?![\w.])/.test(text)
}

/** The program's name without its folder. */
function nameOf(word: ShellWord | undefined): string {
  return (word?.value ?? '').replace(/^.*[\\/]/, '').replace(/\.exe$/i, '')
}

function known(value: string): ShellWord {
  return { text: value, value, start: value, glob: false }
}
