/** The commands whose text is part of the program: what the agent reads for `/init` and `/review`. */
import type { SlashCommand } from './slash-command.ts'

interface BuiltInText {
  readonly name: string
  readonly description: string
  readonly argumentHint: string
  /** The text for the agent. `rest`: what the user typed after the name. */
  readonly text: (rest: string) => string
}

const BUILT_IN: readonly BuiltInText[] = [
  {
    name: 'init',
    description: 'Write or improve CLAUDE.md, which agents read in this folder',
    argumentHint: '[what matters to you]',
    text: initText,
  },
  {
    name: 'review',
    description: 'Review the uncommitted changes, or a pull request',
    argumentHint: '[number of a pull request, or what to look at]',
    text: reviewText,
  },
]

/** The built-in command of this name; null: there is none. */
export const builtInText = (name: string): BuiltInText | null =>
  BUILT_IN.find((one) => one.name === name) ?? null

/** As the list of commands shows them. */
export const builtInCommands: readonly SlashCommand[] = BUILT_IN.map(
  ({ name, description, argumentHint }) => ({
    ...{ name, description, argumentHint, source: 'built-in', file: null, problem: null },
  }),
)

function initText(rest: string): string {
  return `Write the file CLAUDE.md at the root of this repository. Agents that work here receive it at the start of every conversation, so it must hold what they need each time and cannot see quickly in the files.

1. If CLAUDE.md exists, read it first: keep what is right, correct what is wrong or outdated, and add what is missing. Do not rewrite it for style.
2. Look at the README, the package or build files, the configuration of linters, tests and CI, and the folders of the source. Include what matters from AGENTS.md, .cursorrules, .cursor/rules or .github/copilot-instructions.md if they exist.
3. Write:
   - the commands to install, build, run, lint and test, and how to run a single test. Give only commands that you found in the files or tried out.
   - the structure: the parts, what each is for, and how they work together, where this takes several files to see.
   - the conventions and traps of this repository that a newcomer would get wrong.
4. Leave out what a list of the files shows, general advice ("write tests", "handle errors"), and anything that you did not find. Keep it below 100 lines.

Begin the file with:

# CLAUDE.md

Guidance for coding agents that work in this repository.

At the end tell the user in a few sentences what the file now says, and what you were not sure of.${wish(rest)}`
}

function reviewText(rest: string): string {
  const number = /^#?(\d+)$/.exec(rest.trim())?.[1]
  const subject =
    number === undefined
      ? `Review the uncommitted changes of this repository.

1. See them with: git status --short, git diff HEAD, and read each untracked file. If there are none, review the commits of this branch instead: git diff with the merge base of the default branch. If there are none either, say so and stop.`
      : `Review the pull request ${number} of this repository.

1. See it with: gh pr view ${number}, and gh pr diff ${number}. If gh is missing or fails, say how to make it work and stop; do not guess what the pull request contains.`
  const focus = number === undefined ? wish(rest) : ''
  return `${subject}
2. Read enough of the surrounding code to judge each change: callers, types, tests. For many files that are independent of each other, give parts to agents that only read, and check what they report.
3. Look for, in this order: wrong behavior, lost data and security; cases that are not handled; broken contracts with other code; missing or weak tests; code that is hard to read or repeats something that exists.
4. Change no files.

Report the findings, the most important first. For each: the path with the line, what goes wrong and in which case, and how to fix it. Check a finding in the code before you report it, and leave out matters of taste. If you find nothing, say so, and what you checked.${focus}`
}

const wish = (rest: string): string => (rest.trim() === '' ? '' : `\n\nThe user adds: ${rest.trim()}`)
