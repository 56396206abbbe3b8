/** What counts of the texts that agents are told: instructions, rules, agents, skills, commands and output styles. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { SetupItem } from '../../../shared/setup/setup.ts'
import { exists } from '../../platform/system/exists.ts'
import { nameOfStyle, styleFiles } from '../memory/settings-instructions.ts'
import {
  claudeFolderItems,
  FOLDER_UNTRUSTED,
  itemOf,
  markdownIn,
  notUsed,
  type SetupParts,
  stateFor,
} from './setup-item.ts'

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
          ? FOLDER_UNTRUSTED
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
  const place = { group: 'project', what: 'Memory', file: null, files: 0 } as const
  const rest = other.map((note) => itemOf(place, notUsed(note), { folder, home }))
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
  if (group === 'project' && !isTrusted(folder))
    return [itemOf(item, notUsed(FOLDER_UNTRUSTED), { folder, home })]
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

/** The definitions in `.claude/agents`. */
export async function agentItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { entries } = await parts.definitions.catalog(folder, { trusted: parts.isTrusted(folder) })
  const ownOf = (source: string) => entries.filter((entry) => entry.source === source)
  return claudeFolderItems(folder, parts, {
    name: 'agents',
    what: 'Agents',
    amount: async ({ source, path }) => ownOf(source).length || (await markdownIn(path)).length,
    async find({ source }) {
      const own = ownOf(source)
      const inUse = own.filter(({ state }) => state === 'offered' || state === 'hidden')
      const notes = own.flatMap((entry) => [
        ...(entry.state === 'shadowed' ? [`${entry.path} is hidden by another agent of the same name.`] : []),
        ...(entry.state === 'waits'
          ? [`${entry.path} waits for your approval: "troupe agents approve".`]
          : []),
        ...(entry.state === 'no-agent'
          ? [`${entry.path} is not an agent: it has no frontmatter with a description.`]
          : []),
        ...entry.diagnostics.map(({ line, message }) => `${entry.path}:${line}: ${message}`),
      ])
      const remarks = notes.length === 0 ? 'no problems' : countOf(notes.length, 'remark')
      return {
        state: own.some(({ state }) => state === 'waits') ? 'needs-you' : stateFor(inUse.length, notes),
        details: `${inUse.length} of ${countOf(own.length, 'definition')} in use, ${remarks}`,
        notes,
      }
    },
  })
}

/** The skills in `.claude/skills`, each in a folder of its own. */
export async function skillItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const all = await parts.skills.list(folder, { trusted: parts.isTrusted(folder) })
  const foldersIn = async (path: string) =>
    (await readdir(path, { withFileTypes: true }).catch(() => []))
      .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
  return claudeFolderItems(folder, parts, {
    name: 'skills',
    what: 'Skills',
    amount: async ({ path }) => (await foldersIn(path)).length,
    async find({ source, path }) {
      const names = await foldersIn(path)
      const own = all.filter((skill) => skill.source === source && dirname(dirname(skill.file)) === path)
      const notes = [
        ...names
          .filter((name) => !own.some((skill) => dirname(skill.file) === join(path, name)))
          .map(
            (name) =>
              `${name} is not used: it has no SKILL.md that can be read, or a skill of the same name counts before it.`,
          ),
        ...own.flatMap((skill) => (skill.notes ?? []).map((note) => `${skill.name}: ${note}`)),
      ]
      const remarks = notes.length === 0 ? '' : `, ${countOf(notes.length, 'remark')}`
      const details = `${own.length} of ${names.length}${remarks}`
      return { state: stateFor(own.length, notes), details, notes }
    },
  })
}

/** The commands in `.claude/commands`. */
export async function commandItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const all = await parts.slash.list(folder)
  return claudeFolderItems(folder, parts, {
    name: 'commands',
    what: 'Commands',
    amount: async ({ path }) => (await markdownIn(path)).length,
    async find({ source, path }) {
      const names = await markdownIn(path)
      const own = all.filter((one) => one.source === source)
      const usable = own.filter(({ problem }) => problem === null)
      const notes = [
        ...own.flatMap(({ problem }) => problem ?? []),
        ...names
          .filter((name) => !own.some((one) => one.file?.endsWith(`${sep}${name}`)))
          .map((name) => `${name} is not used: another command has its name.`),
      ]
      const details = `${usable.length} of ${countOf(names.length, 'command')}`
      return { state: stateFor(usable.length, notes), details, notes }
    },
  })
}

/** The output styles of user, project and plugins, one of which may be chosen. */
export async function styleItems(folder: string, parts: SetupParts): Promise<readonly SetupItem[]> {
  const { home, layered, isTrusted, pluginStyles } = parts
  const trusted = isTrusted(folder)
  const { layers } = await layered.layers.read(folder, { trusted })
  const chosen = layers.map(({ raw }) => raw['outputStyle']).find((value) => typeof value === 'string')
  const files = await styleFiles({ folder, home, trusted, pluginStyles })
  return Promise.all(
    files.map(async (file) => {
      const name = nameOfStyle(await readFile(file, 'utf8').catch(() => ''), file)
      const isOn = String(chosen ?? '').toLowerCase() === name.toLowerCase()
      const why = `Choose it with "outputStyle": ${JSON.stringify(name)} in a settings file.`
      const group = file.startsWith(join(home, '.claude'))
        ? ('user' as const)
        : file.startsWith(folder)
          ? ('project' as const)
          : ('plugins' as const)
      return itemOf(
        { group, what: 'Output style', file },
        isOn
          ? { state: 'used', details: `${name}, for the main agent` }
          : { state: 'not-used', details: `${name} is not chosen`, notes: [why] },
        { folder, home },
      )
    }),
  )
}
