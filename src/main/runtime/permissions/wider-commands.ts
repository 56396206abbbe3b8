/**
 * The wider rules that "Always allow" offers for a command, beside the rule for exactly this command. Only commands of a
 * list have them: those that build, check or test the project, with arguments that can't name another program. All
 * others, such as shells, interpreters, `rm`, `curl` or `git push`, have only the exact rule.
 */
import type { RuleOffer } from '../../../shared/events/agent-event.ts'

/** Narrow ones first. `words` are the command's known words, without wrappers such as `timeout 60`. */
export function widerCommandRules(words: readonly string[]): readonly RuleOffer[] {
  const [first = '', second = '', third = ''] = words
  if (SCRIPT_RUNNERS.has(first) && (second === 'run' || second === 'run-script'))
    return isScript(third)
      ? [
          anyArguments([first, second, third]),
          offer(
            [first, second],
            `every other script of package.json, for example ${first} ${second} ${third === 'deploy' ? 'release' : 'deploy'}`,
          ),
        ]
      : []
  if (STEP_RUNNERS.has(first)) {
    const step = second === 'run' ? third : second
    return STEPS.test(step) ? [anyArguments(words.slice(0, second === 'run' ? 3 : 2))] : []
  }
  if (first === 'git' && Object.hasOwn(GIT, second)) return [offer(['git', second], GIT[second] ?? '')]
  if (first === 'mkdir') return [offer(['mkdir'], 'every other new folder, also outside of this one')]
  const [launcher, rest] = launched(words)
  const [checker = '', step = ''] = rest
  if (!CHECKERS.has(checker)) return []
  const steps = CHECKERS.get(checker)
  if (steps === null || steps === undefined) return [anyArguments([...launcher, checker])]
  return steps.includes(step) ? [anyArguments([...launcher, checker, step])] : []
}

/** Programs whose `run` starts only scripts of package.json. */
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm'])

/** Programs whose `run` also starts other programs, so the name of the script counts. */
const STEP_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun'])
const STEPS = /^(test|build|lint|format|typecheck|type-check|check)(:[\w-]+)*$/

const GIT: Readonly<Record<string, string>> = {
  add: 'git add with any other files',
  commit: 'every other commit, also with --amend, which changes the last one',
}

/** Programs that check or test code, and those of their steps that do; null: the whole program does. */
const CHECKERS: ReadonlyMap<string, readonly string[] | null> = new Map([
  ['tsc', null],
  ['vue-tsc', null],
  ['vitest', null],
  ['jest', null],
  ['eslint', null],
  ['prettier', null],
  ['stylelint', null],
  ['pytest', null],
  ['mypy', null],
  ['black', null],
  ['biome', ['check', 'lint', 'format', 'ci']],
  ['ruff', ['check', 'format']],
  ['playwright', ['test']],
])

/** A checker behind a program that starts it: `npx tsc`, `pnpm exec tsc`. */
function launched(words: readonly string[]): readonly [readonly string[], readonly string[]] {
  const length =
    LAUNCHERS.find((launcher) => launcher.every((word, index) => words[index] === word))?.length ?? 0
  return [words.slice(0, length), words.slice(length)]
}

const LAUNCHERS: readonly (readonly string[])[] = [
  ['npx'],
  ['bunx'],
  ['pnpm', 'exec'],
  ['uv', 'run'],
  ['poetry', 'run'],
]

function anyArguments(words: readonly string[]): RuleOffer {
  return offer(words, `${words.join(' ')} with any other arguments, also for files outside the folder`)
}

function offer(words: readonly string[], alsoCovers: string): RuleOffer {
  return { rule: `Bash(${words.join(' ')}:*)`, alsoCovers }
}

/** The name of a script, not an option or a path. */
function isScript(name: string): boolean {
  return /^[A-Za-z0-9][\w:.-]*$/.test(name)
}
