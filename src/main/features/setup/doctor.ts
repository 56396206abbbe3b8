/** `troupe doctor`: what was found of the user's setup, what of it counts, and why the rest does not. */
import { resolve } from 'node:path'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import {
  importText,
  type Setup,
  type SetupImport,
  type SetupItem,
  type SetupReport,
  setupGroupHints,
  setupGroupNames,
  setupGroups,
  setupStateNames,
} from '../../../shared/setup/setup.ts'
import { EXIT, failed, isYes, jsonLine, type Spoken } from '../../platform/command-line/terminal.ts'

export interface DoctorContext extends Spoken {
  readonly setup: Setup
  readonly folder: string
  readonly home: string
}

/** The values of `troupe doctor …`. */
export type DoctorCommand = { readonly json: boolean } & (
  | { readonly verb: 'doctor' }
  /** `file`: as given; null: all files. `yes`: the user has agreed already. */
  | { readonly verb: 'doctor-import'; readonly file: string | null; readonly yes: boolean }
  | { readonly verb: 'doctor-undo'; readonly file: string }
)

/** @returns the exit code */
export async function doctorCommand(command: DoctorCommand, context: DoctorContext): Promise<number> {
  const { setup, folder, home, output, errors } = context
  const fileOf = (given: string) =>
    given.startsWith('~/') ? `${home}${given.slice(1)}` : resolve(folder, given)
  switch (command.verb) {
    case 'doctor': {
      const report = await setup.report(folder)
      output.write(command.json ? jsonLine({ type: 'setup', ...report }) : textOf(report))
      return EXIT.done
    }
    case 'doctor-import':
      return importFile(command, command.file === null ? null : fileOf(command.file), context)
    case 'doctor-undo': {
      const undone = await setup.imports.undo(folder, fileOf(command.file))
      if (!undone.ok) return failed({ errors }, undone.failure.message)
      output.write(
        command.json
          ? jsonLine({ type: 'import-undone', removed: undone.value })
          : `Removed ${makeVisible(undone.value.join(', '))}.\n`,
      )
      return EXIT.done
    }
  }
}

/** Shows what would be written, asks, and writes it. */
async function importFile(
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
  file: string | null,
  { setup, folder, output, errors, ask }: DoctorContext,
): Promise<number> {
  const shown = await setup.imports.preview(folder, file)
  if (!shown.ok) return failed({ errors }, shown.failure.message)
  const note = json ? errors : output
  note.write(previewText(shown.value))
  if (!yes && ask === null) {
    failed({ errors }, 'Nothing was imported, because nobody can be asked here. Add --yes to agree.')
    return EXIT.usage
  }
  if (!yes && ask !== null && !isYes(await ask('Import it? [y/N] '))) {
    note.write('Nothing was imported.\n')
    return EXIT.done
  }
  const imported = await setup.imports.write(folder, file, shown.value.digest)
  if (!imported.ok) return failed({ errors }, imported.failure.message)
  const { servers, rules } = imported.value
  output.write(
    json
      ? jsonLine({
          type: 'imported',
          servers: servers.map(({ name }) => name),
          rules: rules.map((rule) => rule.file),
        })
      : `Imported ${importText({ servers: servers.length, rules: rules.length })}.\n`,
  )
  return EXIT.done
}

function previewText({ servers, rules, notes }: SetupImport): string {
  const indented = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => `    ${line}`)
  const lines = [
    ...servers.flatMap(({ name, place, definition }) => [
      `MCP server ${name}, ${place === 'user' ? 'for every project' : 'for this project, yours only'}`,
      ...indented(definition),
    ]),
    ...rules.flatMap(({ from, shown, paths, text }) => [
      `${from} becomes ${shown}, for ${paths === null ? 'every file' : paths.join(', ')}`,
      ...indented(text),
    ]),
    ...notes.map((one) => `Left out: ${one}`),
  ]
  return lines.map((line) => `${makeVisible(line)}\n`).join('')
}

function textOf({ folder, trusted, items }: SetupReport): string {
  const files = items.reduce((sum, item) => sum + item.files, 0)
  const groups = setupGroups.flatMap((group) => {
    const own = items.filter((item) => item.group === group)
    const title =
      group === 'user' ? `${setupGroupNames.user}, ${setupGroupHints.user}` : setupGroupNames[group]
    return own.length === 0 ? [] : ['', title, ...own.flatMap(linesOf)]
  })
  const head = `${countOf(files, 'file')} found for ${folder}${trusted ? '' : ', which you do not trust'}.`
  return [head, ...groups].map((line) => `${makeVisible(line)}\n`).join('')
}

function linesOf({
  what,
  shown,
  file,
  state,
  details,
  notes,
  imports,
  plugin,
}: SetupItem): readonly string[] {
  const next = [
    ...(imports !== undefined && imports.servers + imports.rules > 0
      ? [`See and import ${importText(imports)} with: troupe doctor import "${file}"`]
      : []),
    ...(imports !== undefined && imports.done > 0
      ? [`Take the import back with: troupe doctor undo "${file}"`]
      : []),
    ...(plugin === undefined
      ? []
      : [`See what it runs, and turn it on, with: troupe plugins enable ${plugin}`]),
  ]
  const place = shown === '' ? '' : `  ${shown}`
  return [
    `  ${setupStateNames[state].padEnd(12)} ${what}${place}: ${details}`,
    ...[...notes.filter((note) => note !== details), ...next].map((note) => `${' '.repeat(15)}- ${note}`),
  ]
}
