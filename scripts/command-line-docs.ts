/**
 * Makes the tables of docs/using/command-line.md from the declarations of the verbs. Run it with the project's own Node:
 * `npm run with node scripts/command-line-docs.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  listedOptions,
  meaningOf,
  optionText,
  typed,
  verbGroupsOf,
} from '../src/main/platform/command-line/command-table.ts'
import { verbs } from '../src/main/verbs.ts'
import { code, markdownTable, withTable } from './markdown-table.ts'

export const PAGE = join(import.meta.dirname, '..', 'docs', 'using', 'command-line.md')

/** The page with new tables. */
export const withTables = (page: string): string =>
  withTable(page, {
    name: 'verbs',
    maker: 'scripts/command-line-docs.ts',
    table: `${commands()}\n${options()}`,
  })

function commands(): string {
  const rows = verbs.map((verb) => [
    code(typed(verb)),
    verb.summary.replaceAll('\n', ' '),
    listedOptions(verb)
      .map(([name]) => code(`--${name}`))
      .join(', '),
  ])
  return markdownTable([['command', 'what it does', 'options'], ...rows])
}

/** Each option once, with the commands that have it. */
function options(): string {
  const rows = new Map<string, { readonly option: string; readonly meaning: string; readonly of: string[] }>()
  for (const group of verbGroupsOf(verbs))
    for (const verb of group)
      for (const [name, option] of listedOptions(verb)) {
        const [shown, meaning] = [code(optionText(name, option)), meaningOf(option)]
        const row = rows.get(shown + meaning) ?? { option: shown, meaning, of: [] }
        rows.set(shown + meaning, row)
        const [word = ''] = verb.words.split(' ')
        if (!row.of.includes(word)) row.of.push(word)
      }
  const sorted = [...rows.values()].toSorted((a, b) => (a.option < b.option ? -1 : 1))
  return markdownTable([
    ['option', 'of', 'meaning'],
    ...sorted.map(({ option, meaning, of }) => [
      option,
      of.map((word) => word || 'the window').join(', '),
      meaning,
    ]),
  ])
}

if (process.argv[1] === import.meta.filename) writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')))
