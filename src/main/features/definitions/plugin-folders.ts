/** Finds the agents, skills and commands of a plugin folder. */
import { realpath } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow, readPlainFile } from '../../platform/system/plain-text.ts'
import type { AgentFolder } from './agent-folders.ts'

interface Plugin {
  readonly name: string
  readonly agents: readonly AgentFolder[]
  /** Folders of skills, and folders that contain one folder for each skill. */
  readonly skills: readonly string[]
  /** Folders of command files, and single files. */
  readonly commands: readonly PluginCommands[]
  /** Folders with output styles. */
  readonly outputStyles: readonly string[]
  /** The real folder. Links must not lead out of the folder. */
  readonly root: string
}

interface PluginCommands {
  readonly path: string
  /** The name of the command of a single file; null: that of the file. */
  readonly name: string | null
}

interface FoundPlugin {
  /** Null: the plugin is not used. */
  readonly plugin: Plugin | null
  /** `.claude-plugin/plugin.json`; empty if the file is missing. */
  readonly manifest: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
  /** Parts that Troupe does not use, as sentences. */
  readonly notUsed: readonly string[]
}

/** `.claude-plugin/plugin.json` may name the plugin and its agents. By default, all of `agents/` are its agents. */
export async function readPlugin(path: string): Promise<FoundPlugin> {
  const root = await realpath(path).catch(() => null)
  if (root === null)
    return refused(`The plugin ${path} was not found. Fix its path in the settings, or remove the plugin.`)
  const manifest = await readManifest(root)
  if (typeof manifest === 'string') return refused(`The plugin ${path} is not used: ${manifest}`)
  const named = manifest['name']
  const name = typeof named === 'string' && named.trim() !== '' ? named.trim() : basename(root)
  if (!/^(?!\.+$)[^\p{C}:\s/\\][^\p{C}:/\\]*$/u.test(name))
    return refused(`The plugin ${path} is not used: ${JSON.stringify(name)} can’t be a plugin’s name.`)
  /** An entry of a marketplace with `strict: false` lists all parts; there is nothing else. */
  const isListed = manifest['strict'] === false
  const standard = (folder: string) => (isListed ? [] : [folder])
  const instead = (named: readonly string[], folder: string) => (named.length > 0 ? named : standard(folder))
  const commands = commandsOf(manifest['commands'], standard('commands'))
  const parts = {
    agents: instead([...pathsOf(manifest['agents']), ...pathsOf(manifest['agentsPath'])], 'agents'),
    skills: [...standard('skills'), ...pathsOf(manifest['skills'])],
    outputStyles: instead(pathsOf(manifest['outputStyles']), 'output-styles'),
  }
  const inRoot = (each: string) => resolve(root, each)
  const isInside = (path: string) => path === root || isBelow(root, path)
  const given = (paths: readonly string[]) => [...new Set(paths.map(inRoot).filter(isInside))]
  const outside = [...Object.values(parts).flat(), ...commands.map(({ path }) => path)].map(inRoot)
  return {
    plugin: {
      name,
      agents: given(parts.agents).map((each) => ({
        source: 'plugin',
        plugin: name,
        path: each,
        within: root,
      })),
      skills: given(parts.skills),
      commands: commands
        .map(({ path, name: own }) => ({ path: inRoot(path), name: own }))
        .filter(({ path }) => isInside(path)),
      outputStyles: given(parts.outputStyles),
      root,
    },
    manifest,
    notUsed: await notUsedParts(root, manifest),
    problems: outside
      .filter((each) => !isInside(each))
      .map(
        (each) => `The plugin ${name} names ${each}, which is outside the plugin’s folder. It was not read.`,
      ),
  }
}

/** The manifest, or why the manifest is invalid. A missing manifest is empty. */
async function readManifest(root: string): Promise<Readonly<Record<string, unknown>> | string> {
  const path = join(root, '.claude-plugin', 'plugin.json')
  const there = await realpath(path).catch(() => null)
  if (there === null) return {}
  const file = await readPlainFile(path, root)
  if (file.kind === 'unread') return `${path}: ${file.message}`
  try {
    const value: unknown = JSON.parse(file.text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : `${path} is not an object.`
  } catch (thrown) {
    return `${path} is not valid JSON: ${messageOf(thrown)}`
  }
}

/** Paths, or an object by name: `{"about": {"source": "./README.md"}}`. */
function commandsOf(value: unknown, standard: readonly string[]): readonly PluginCommands[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([name, each]) =>
      typeof each === 'object' && each !== null && typeof each.source === 'string'
        ? [{ path: each.source, name }]
        : [],
    )
  const paths = pathsOf(value)
  return (paths.length > 0 ? paths : standard).map((path) => ({ path, name: null }))
}

/** What a plugin can have and Troupe does not use, by the key of the manifest and the place in the folder. */
const NOT_USED = [
  ['lspServers', '.lsp.json', 'language servers'],
  ['userConfig', null, 'values that it asks the user for'],
  ['channels', null, 'channels'],
  ['monitors', 'monitors', 'monitors'],
  ['themes', 'themes', 'themes'],
  ['settings', 'settings.json', 'settings'],
  ['dependencies', null, 'other plugins that it needs: add them yourself'],
  [null, 'bin', 'programs for the PATH of commands'],
] as const

async function notUsedParts(
  root: string,
  manifest: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const experimental = manifest['experimental']
  const keys: Readonly<Record<string, unknown>> = {
    ...(typeof experimental === 'object' && experimental !== null ? experimental : {}),
    ...manifest,
  }
  const found = await Promise.all(
    NOT_USED.map(async ([key, path, what]) => {
      if (key !== null && Object.hasOwn(keys, key)) return [`${what} (${key} in plugin.json)`]
      const isThere = path !== null && manifest['strict'] !== false && (await exists(join(root, path)))
      return isThere ? [`${what} (${path})`] : []
    }),
  )
  const written = Object.entries(typeof keys['commands'] === 'object' ? { ...keys['commands'] } : {}).filter(
    ([, each]) => typeof each === 'object' && each !== null && 'content' in each,
  )
  return [
    ...found.flat(),
    ...written.map(([name]) => `the command ${name}, whose text is in plugin.json`),
  ].map((what) => `Not used by Troupe: ${what}.`)
}

function pathsOf(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((each): each is string => typeof each === 'string' && each.trim() !== '')
}

const refused = (problem: string): FoundPlugin => ({
  plugin: null,
  manifest: {},
  problems: [problem],
  notUsed: [],
})
