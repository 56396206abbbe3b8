/** What counts of the folders of agents, skills, commands and output styles. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { countOf, type SetupItem } from '../../../shared/setup.ts'
import { nameOfStyle, styleFiles } from '../memory/settings-instructions.ts'
import { claudeFolderItems, itemOf, markdownIn, type SetupParts, stateFor } from './setup-item.ts'

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
        ...(entry.state === 'waits' ? [`${entry.path} waits for your approval: troupe agents approve.`] : []),
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
