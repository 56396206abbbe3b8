/** What counts of CLAUDE.md, AGENTS.md and the rules. */
import { readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { countOf, type SetupItem } from '../../../shared/setup.ts'
import { exists } from '../system/exists.ts'
import { itemOf, markdownIn, notUsed, type SetupParts, stateFor, UNTRUSTED } from './setup-item.ts'

/** The folders from the top of the repository to the folder itself, at most. */
function foldersAbove(folder: string, loaded: readonly string[]): readonly string[] {
  const around = loaded.map((path) => dirname(path.replace(`${sep}.claude${sep}`, sep)))
  return [...new Set([folder, ...around])]
}

/** The instructions and rules of the user and the project. */
export async function memoryItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, memory, isTrusted } = parts
  const trusted = isTrusted(folder)
  const main = { name: 'main', memory: null, omitProjectInstructions: false }
  const { files, problems } = await memory.load(folder, main, { trusted })
  const loaded = new Map(files.map((file) => [file.path, file]))
  const bases = foldersAbove(
    folder,
    files
      .filter(({ scope, importedBy }) => scope === 'project' && importedBy === null)
      .map(({ path }) => path),
  )
  const names = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md', 'CLAUDE.local.md']
  const wanted = [
    { group: 'user' as const, file: join(home, '.claude', 'CLAUDE.md') },
    ...bases.flatMap((base) =>
      base === home ? [] : names.map((name) => ({ group: 'project' as const, file: join(base, name) })),
    ),
  ]
  const single = await Promise.all(
    wanted.map(async ({ group, file }): Promise<readonly SetupItem[]> => {
      if (!(await exists(file))) return []
      const place = { group, what: 'Memory', file }
      const found = loaded.get(file)
      const imports = files.filter(({ importedBy }) => importedBy === file).length
      const notes = problems.filter((one) => one.startsWith(file))
      if (found !== undefined)
        return [
          itemOf(
            place,
            {
              state: stateFor(1, notes),
              details: `${countOf(found.text.trimEnd().split('\n').length, 'line')}, in every conversation${imports > 0 ? `, with ${countOf(imports, 'import')}` : ''}`,
              notes,
            },
            { folder, home },
          ),
        ]
      const because =
        group === 'project' && !trusted
          ? UNTRUSTED
          : (notes[0] ?? 'Empty, or the same file as another one by a link.')
      return [itemOf(place, notUsed(because), { folder, home })]
    }),
  )
  const rules = await Promise.all([
    ruleItem('user', join(home, '.claude', 'rules'), { folder, parts, loaded }),
    ...bases
      .filter((base) => base !== home)
      .map((base) => ruleItem('project', join(base, '.claude', 'rules'), { folder, parts, loaded })),
  ])
  const other = problems.filter(
    (one) => ![...loaded.keys(), ...wanted.map(({ file }) => file)].some((file) => one.startsWith(file)),
  )
  const rest: readonly SetupItem[] = other.map((note) => ({
    ...{ group: 'project', what: 'Memory', shown: '', file: null, files: 0 },
    ...{ ...notUsed(note), notes: [note] },
  }))
  return [...single.flat(), ...rules.flat(), ...rest]
}

async function ruleItem(
  group: 'user' | 'project',
  place: string,
  {
    folder,
    parts,
    loaded,
  }: { readonly folder: string; readonly parts: SetupParts; readonly loaded: ReadonlyMap<string, unknown> },
): Promise<readonly SetupItem[]> {
  const { home, isTrusted } = parts
  const files = await markdownIn(place)
  if (files.length === 0) return []
  const item = { group, what: 'Rules', file: place, files: files.length, isFolder: true }
  if (group === 'project' && !isTrusted(folder)) return [itemOf(item, notUsed(UNTRUSTED), { folder, home })]
  const always = files.filter((file) => loaded.has(join(place, file)))
  const withPaths = await Promise.all(
    files.map(async (file) =>
      /^\s*(paths|globs):/m.test(await readFile(join(place, file), 'utf8').catch(() => '')),
    ),
  )
  const notes = files.flatMap((file, index) =>
    always.includes(file) || withPaths[index]
      ? []
      : [`${file} was not read: it is empty, a link that leads elsewhere, or not text.`],
  )
  const some = withPaths.filter(Boolean).length
  const details = [
    `${always.length} in every conversation`,
    ...(some > 0 ? [`${some} with the files that their paths name`] : []),
    ...(notes.length > 0 ? [`${notes.length} not read`] : []),
  ]
  return [
    itemOf(
      item,
      { state: stateFor(files.length - notes.length, notes), details: details.join(', '), notes },
      { folder, home },
    ),
  ]
}
