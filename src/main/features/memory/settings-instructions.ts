/** What settings files say as instructions: `language`, `outputStyle` and `attribution`. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseYaml } from '../../../shared/agent-definition/recover-yaml.ts'
import { splitFrontmatter } from '../../../shared/agent-definition/split-frontmatter.ts'
import { bodyOf } from '../../../shared/agent-definition/write-definition.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { isUsersOwn, type SettingsLayer } from '../../../shared/settings/settings-layers.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import type { AgentMemory, InstructionFile, MemorySource } from '../../runtime/ports/definitions.ts'
import type { SettingsLayerReader } from '../settings/settings-layers.ts'
import { shortDigest } from './digest-of.ts'

interface SettingsInstructionsOptions {
  readonly layers: Pick<SettingsLayerReader, 'read'>
  readonly home: string
  /** What agents are told instead of a text of the project; missing: the text. Null: nothing. */
  readonly told?: (
    root: string,
    file: { readonly path: string; readonly text: string },
  ) => Promise<string | null>
  /** The folders with output styles of plugins. */
  readonly pluginStyles: () => Promise<readonly string[]>
}

/** Agents that speak with the user: only they have an output style. */
const MAIN: ReadonlySet<string> = new Set(['main', 'coordinator'])

/** The source, with the texts of the settings after the user's own instructions. */
export function withSettingsInstructions(
  source: MemorySource,
  options: SettingsInstructionsOptions,
): MemorySource {
  return {
    below: (...given) => source.below(...given),
    async load(folder, agent, trust): Promise<AgentMemory> {
      const [memory, { layers }] = await Promise.all([
        source.load(folder, agent, trust),
        options.layers.read(folder, trust),
      ])
      const style = MAIN.has(agent.name)
        ? await outputStyle(layers, { ...options, folder, trusted: trust.trusted })
        : NO_STYLE
      const files = together([...languageOf(layers), ...attributionOf(layers), ...style.files])
      return {
        ...memory,
        files: [...files, ...memory.files],
        problems: [...memory.problems, ...style.problems],
      }
    },
  }
}

/** One text for each file: an agent knows its instructions by their paths. */
function together(files: readonly InstructionFile[]): readonly InstructionFile[] {
  return [...new Set(files.map(({ path }) => path))].map((path) => {
    const own = files.filter((file) => file.path === path)
    return instruction(path, own.map(({ text }) => text).join('\n'))
  })
}

interface FoundStyle {
  readonly files: readonly InstructionFile[]
  readonly problems: readonly string[]
}

const NO_STYLE: FoundStyle = { files: [], problems: [] }

/** The strongest layer with a text under this key. */
function textIn(layers: readonly SettingsLayer[], key: string) {
  for (const { file, raw } of layers) {
    const value = raw[key]
    if (typeof value === 'string' && value.trim() !== '' && value.length <= 200)
      return { file, value: value.trim() }
  }
  return null
}

function languageOf(layers: readonly SettingsLayer[]): readonly InstructionFile[] {
  const found = textIn(layers, 'language')
  // It may come from a project, so it is no more than the name of a language.
  return found === null || !/^[\p{L}\p{M}\s()-]{1,40}$/u.test(found.value)
    ? []
    : [
        instruction(
          found.file,
          `Answer the user in this language: ${makeVisible(found.value)}. Code, commands and names stay as they are.`,
        ),
      ]
}

/** `{"commit": "…", "pr": "…"}`: an empty text means none. Older files have `includeCoAuthoredBy`. */
function attributionOf(layers: readonly SettingsLayer[]): readonly InstructionFile[] {
  for (const { source, file, raw } of layers) {
    if (!isUsersOwn(source)) continue
    const given: unknown = raw['attribution']
    if (raw['includeCoAuthoredBy'] === false && given === undefined)
      return [instruction(file, 'Add no co-author and no other attribution to commits and pull requests.')]
    if (typeof given !== 'object' || given === null) continue
    const { commit, pr }: { commit?: unknown; pr?: unknown } = given
    const lines = [...sentence('commit messages', commit), ...sentence('descriptions of pull requests', pr)]
    if (lines.length > 0) return [instruction(file, lines.join('\n'))]
  }
  return []
}

function sentence(what: string, text: unknown): readonly string[] {
  if (typeof text !== 'string' || text.length > 1000) return []
  return text.trim() === ''
    ? [`Add no attribution to ${what}.`]
    : [`End ${what} that you write with:\n${makeVisible(text.trim())}`]
}

interface StylePlaces extends SettingsInstructionsOptions {
  readonly folder: string
  readonly trusted: boolean
}

async function outputStyle(layers: readonly SettingsLayer[], places: StylePlaces): Promise<FoundStyle> {
  const wanted = textIn(layers, 'outputStyle')
  if (wanted === null || wanted.value.toLowerCase() === 'default') return NO_STYLE
  for (const file of await styleFiles(places)) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (nameOfStyle(text, file).toLowerCase() !== wanted.value.toLowerCase()) continue
    const isProject = isBelow(join(places.folder, '.claude'), file)
    const told = isProject && places.told ? await places.told(places.folder, { path: file, text }) : text
    if (told === null)
      return {
        files: [],
        problems: [
          `The output style ${wanted.value} came after you trusted the folder. Approve it in Settings › Permissions, or with "troupe permissions approve".`,
        ],
      }
    const body = (bodyOf(told) ?? told).trim().slice(0, LONGEST)
    return { files: body === '' ? [] : [instruction(file, body)], problems: [] }
  }
  return {
    files: [],
    problems: [
      `There is no output style ${wanted.value}, which ${wanted.file ?? 'the command line'} names. Troupe reads styles from files in output-styles.`,
    ],
  }
}

/** Characters. */
const LONGEST = 64 * 1024

/** The project's, then the user's, then those of plugins. */
export async function styleFiles({
  folder,
  home,
  trusted,
  pluginStyles,
}: Omit<StylePlaces, 'layers'>): Promise<readonly string[]> {
  const folders = [
    ...(trusted ? [join(folder, '.claude', 'output-styles')] : []),
    join(home, '.claude', 'output-styles'),
    ...(await pluginStyles()),
  ]
  const found = await Promise.all(
    folders.map(async (at) => {
      const names = await readdir(at).catch(() => [])
      return names
        .filter((name) => /\.md$/i.test(name))
        .sort()
        .map((name) => join(at, name))
    }),
  )
  return found.flat()
}

/** The `name` of its frontmatter, or the file's own. */
export function nameOfStyle(text: string, file: string): string {
  const split = splitFrontmatter(text)
  const read = split.kind === 'split' ? parseYaml(split.yaml.text) : null
  const values: unknown = read?.kind === 'parsed' ? read.parsed.values : null
  const name = typeof values === 'object' && values !== null && 'name' in values ? values.name : null
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : basename(file).replace(/\.md$/i, '')
}

function instruction(file: string | null, text: string): InstructionFile {
  return {
    path: file ?? 'command line',
    scope: 'user',
    importedBy: null,
    bytes: Buffer.byteLength(text),
    digest: shortDigest(text),
    text,
  }
}
