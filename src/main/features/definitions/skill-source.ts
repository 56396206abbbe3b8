/** Skills: folders with a SKILL.md, from the project, then the user, then plugins. */
import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SkillInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import { splitFrontmatter } from '../../../shared/agent-definition/split-frontmatter.ts'
import { bodyOf } from '../../../shared/agent-definition/write-definition.ts'
import { skillFields } from '../../../shared/slash/skill-fields.ts'
import type { SeenTexts } from '../../platform/approvals/seen-texts.ts'
import { fileVersionOf } from '../../platform/system/file-stat.ts'
import { isBelow, type PlainFile, readPlainFile } from '../../platform/system/plain-text.ts'
import type { LoadedSkill, SkillSource } from '../../runtime/ports/definitions.ts'
import { projectFolders } from './agent-folders.ts'
import { readPlugin } from './plugin-folders.ts'

interface SkillSourceOptions {
  readonly home: string
  /** The folders of the enabled plugins, read on each load. */
  readonly plugins?: () => readonly string[]
  /** Missing: every text of a trusted project counts. */
  readonly texts?: Pick<SeenTexts, 'begin' | 'told'>
}

interface SkillsFolder {
  readonly source: SkillInfo['source']
  /** The prefix of the skills' names, with the colon, or empty. */
  readonly prefix: string
  readonly path: string
  readonly within: string | null
  /** The project's top folder. */
  readonly root: string
}

export function createSkillSource({ home, plugins = () => [], texts }: SkillSourceOptions): SkillSource {
  const known = new Map<string, { readonly version: string; readonly read: PlainFile }>()

  async function foldersOf(folder: string, trusted: boolean): Promise<readonly SkillsFolder[]> {
    const project = trusted ? await projectFolders(folder, home) : { root: folder, folders: [] }
    const { root } = project
    if (trusted) await texts?.begin(root)
    const found = await Promise.all(plugins().map(readPlugin))
    const pathIn = (base: string) => join(base, '.claude', 'skills')
    return [
      ...project.folders.map((base) => {
        return { source: 'project' as const, prefix: '', path: pathIn(base), within: root, root }
      }),
      { source: 'user', prefix: '', path: pathIn(home), within: null, root },
      ...found.flatMap(({ plugin }) =>
        (plugin?.skills ?? []).map((path) => {
          return {
            source: 'plugin' as const,
            prefix: `${plugin?.name}:`,
            path,
            within: plugin?.root ?? null,
            root,
          }
        }),
      ),
    ]
  }

  async function skillIn(folder: SkillsFolder, real: string, name: string): Promise<LoadedSkill | null> {
    const file = join(folder.path, name, 'SKILL.md')
    const version = await fileVersionOf(file)
    if (version === null) return null
    const before = known.get(file)
    const read = before?.version === version ? before.read : await readPlainFile(file, real)
    // A failed read may succeed next time, even if the file is unchanged.
    if (read.kind === 'text' || read.code !== 'unreadable') known.set(file, { version, read })
    if (read.kind === 'unread') return null
    const { source, prefix, root } = folder
    const text =
      source === 'project' && texts ? await texts.told(root, { path: file, text: read.text }) : read.text
    return text === null
      ? null
      : { ...skillOf(text, source), name: prefix + name, source, file, folder: dirname(file) }
  }

  async function all(folder: string, trusted: boolean): Promise<readonly LoadedSkill[]> {
    const byName = new Map<string, LoadedSkill>()
    for (const each of await foldersOf(folder, trusted)) {
      const real = await realpath(each.path).catch(() => null)
      if (real === null || (each.within !== null && !isBelow(each.within, real))) continue
      // A plugin may name a single skill.
      const isSkill = each.source === 'plugin' && (await fileVersionOf(join(real, 'SKILL.md'))) !== null
      const place = isSkill ? { ...each, path: dirname(each.path) } : each
      const names = isSkill ? [basename(each.path)] : await foldersIn(real)
      for (const skill of await Promise.all(names.map((name) => skillIn(place, real, name))))
        if (skill !== null && !byName.has(skill.name)) byName.set(skill.name, skill)
    }
    return [...byName.values()]
  }

  return {
    list: async (folder, { trusted }) =>
      (await all(folder, trusted)).map(
        ({ body: _, folder: __, allowedTools: ___, model: ____, ...info }): SkillInfo => info,
      ),
    load: async (folder, name, { trusted }) => {
      const skills = await all(folder, trusted)
      const wanted = name.trim()
      return (
        skills.find((skill) => skill.name === wanted) ??
        skills.find((skill) => skill.name.toLowerCase() === wanted.toLowerCase()) ??
        null
      )
    },
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => entry.name)
    .sort()
}

/** The skill has the folder's name. Its frontmatter describes its purpose and use. */
function skillOf(text: string, source: SkillInfo['source']) {
  const body = splitFrontmatter(text).kind === 'split' ? (bodyOf(text) ?? '') : text
  return { ...skillFields(text, source), body: body.trim() }
}
