/**
 * Makes the tables of docs/security.md from the attacks that the tests try. Run it with the project's own Node:
 * `npm run with node scripts/security-docs.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { judgeHarmlessCommands } from '../src/main/runtime/permissions/testing/harmless-commands.ts'
import type { Attack } from '../test/attacks/attack.ts'
import { elsewhere } from '../test/attacks/attacks-elsewhere.ts'
import { files } from '../test/attacks/cases/files.ts'
import { folders } from '../test/attacks/cases/folders.ts'
import { riskyOptions } from '../test/attacks/cases/risky-options.ts'
import { rules } from '../test/attacks/cases/rules.ts'
import { sandbox } from '../test/attacks/cases/sandbox.ts'
import { sandboxGit } from '../test/attacks/cases/sandbox-git.ts'
import { shellSyntax } from '../test/attacks/cases/shell-syntax.ts'
import { type Defense, defenses } from '../test/attacks/defenses.ts'
import { markdownTable } from './markdown-table.ts'

export const ROOT = join(import.meta.dirname, '..')
export const PAGE = join(ROOT, 'docs', 'security.md')

const START = '<!-- attacks: made by scripts/security-docs.ts -->'
const END = '<!-- end -->'

/** By the name of their test in test/attacks. */
export const attacks: Readonly<Record<string, readonly Attack[]>> = {
  'shell-syntax': shellSyntax,
  'risky-options': riskyOptions,
  files,
  rules,
  folders,
  sandbox,
  'sandbox-git': sandboxGit,
}

/** The page with new tables. */
export async function withTables(page: string): Promise<string> {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error(`${PAGE} lacks the marks of its tables.`)
  const parts = [
    summary(),
    await falseAlarms(),
    ...(Object.keys(defenses) as Defense[]).map(tableOf),
    others(),
  ]
  return `${page.slice(0, start + START.length)}\n\n${parts.join('\n\n')}\n\n${page.slice(end)}`
}

function summary(): string {
  const count = Object.values(attacks).flat().length
  return `${count} attacks, by the defense that stops them. “Asked”: the user decides. “Denied”: the call does not run. “Error”: it fails. “Harmless”: it runs, and the harm does not happen.`
}

async function falseAlarms(): Promise<string> {
  const judged = await judgeHarmlessCommands()
  const asked = judged.filter(({ decision }) => decision.kind !== 'allow')
  const share = ((100 * asked.length) / judged.length).toFixed(1)
  return `The price: of ${judged.length} harmless commands of agents (\`test/attacks/harmless-commands.txt\`), ${asked.length} ask in the mode \`default\` without the sandbox, ${share} %.`
}

const OUTCOMES = { asked: 'asked', denied: 'denied', error: 'error', harmless: 'harmless' } as const

function tableOf(defense: Defense): string {
  const rows = Object.entries(attacks).flatMap(([file, cases]) =>
    cases
      .filter((attack) => attack.defense === defense)
      .map(({ name, source, outcome }) => [
        name,
        source,
        OUTCOMES[outcome],
        linkTo(`test/attacks/${file}.integration.test.ts`),
      ]),
  )
  return `### ${capital(defense)}\n\n${defenses[defense]}\n\n${markdownTable([['attack', 'after', 'outcome', 'test'], ...rows]).trimEnd()}`
}

function others(): string {
  const rows = elsewhere.map(({ attack, defense, file }) => [attack, defense, linkTo(file)])
  return `### Attacks that other tests try\n\n${markdownTable([['attack', 'defense', 'test'], ...rows]).trimEnd()}`
}

const linkTo = (file: string) =>
  `[${file
    .split('/')
    .at(-1)
    ?.replace(/(\.integration)?\.test\.ts$/, '')}](../${file})`

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

if (process.argv[1] === import.meta.filename)
  writeFileSync(PAGE, await withTables(readFileSync(PAGE, 'utf8')))
