/** Finds the agents and skills of a plugin folder. */
import { realpath } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { messageOf } from '../../../shared/result.ts'
import { isBelow, readPlainFile } from '../system/plain-text.ts'
import type { AgentFolder } from './agent-folders.ts'

export interface Plugin {
  readonly name: string
  readonly agents: readonly AgentFolder[]
  /** Folders that contain one folder for each skill. */
  readonly skills: readonly string[]
  /** The real folder. Links must not lead out of the folder. */
  readonly root: string
}

export interface FoundPlugin {
  /** Null: the plugin is not used. */
  readonly plugin: Plugin | null
  /** `.claude-plugin/plugin.json`; empty if the file is missing. */
  readonly manifest: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
}

/** `.claude-plugin/plugin.json` may name the plugin and its agents. By default, all of `agents/` are its agents. */
export async function readPlugin(path: string): Promise<FoundPlugin> {
  const root = await realpath(path).catch(() => null)
  if (root === null)
    return refused(`The plugin ${path} was not found. Fix its path in the settings, or remove the plugin.`)
  const manifest = await readManifest(root)
  if (typeof manifest === 'string') return refused(`The plugin ${path} is not used: ${manifest}`)
  const given = manifest['name']
  const name = typeof given === 'string' && given.trim() !== '' ? given.trim() : basename(root)
  if (!/^(?!\.+$)[^\p{C}:\s/\\][^\p{C}:/\\]*$/u.test(name))
    return refused(`The plugin ${path} is not used: ${JSON.stringify(name)} can’t be a plugin’s name.`)
  const named = [...pathsOf(manifest['agents']), ...pathsOf(manifest['agentsPath'])]
  const wanted = (named.length > 0 ? named : ['agents']).map((each) => resolve(root, each))
  const inside = wanted.filter((each) => isBelow(root, each))
  return {
    plugin: {
      name,
      agents: inside.map((each) => ({ source: 'plugin', plugin: name, path: each, within: root })),
      skills: [join(root, 'skills')],
      root,
    },
    manifest,
    problems: wanted
      .filter((each) => !inside.includes(each))
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

function pathsOf(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((each): each is string => typeof each === 'string' && each.trim() !== '')
}

const refused = (problem: string): FoundPlugin => ({
  plugin: null,
  manifest: {},
  problems: [problem],
})
