/**
 * Counts what a folder brings for agents before the user trusts it. Names of files are listed, and JSON is parsed for its
 * keys; nothing is used.
 */

import { readdir, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import type { FolderContents } from '../../../shared/window/contract.ts'
import { isRecord } from '../../platform/json/json-text.ts'
import { exists } from '../../platform/system/exists.ts'
import { readPlainFile } from '../../platform/system/plain-text.ts'
import { projectFolders } from '../definitions/agent-folders.ts'

const INSTRUCTIONS = ['CLAUDE.md', join('.claude', 'CLAUDE.md'), 'AGENTS.md']
const SETTINGS = [join('.claude', 'settings.json'), join('.claude', 'settings.local.json')]
/** Levels below `.claude/agents` that are counted. */
const DEEPEST = 4

/** @param home the user's home folder, whose own agents are not the folder's */
export async function folderContents(folder: string, home: string): Promise<FolderContents> {
  const { folders } = await projectFolders(folder, home)
  const real = await realpath(folder).catch(() => folder)
  const sum = async (count: (path: string) => Promise<number>) =>
    (await Promise.all(folders.map(count))).reduce((all, one) => all + one, 0)
  const settings = await Promise.all(SETTINGS.map((file) => jsonAt(real, file)))
  const servers = await jsonAt(real, '.mcp.json')
  const instructions = await Promise.all(
    folders
      .flatMap((path) => INSTRUCTIONS.map((name) => join(path, name)))
      .map(async (file) => {
        return (await exists(file)) ? [relative(real, file)] : []
      }),
  )
  return {
    agents: await sum((path) => countMarkdown(join(path, '.claude', 'agents'))),
    commands: await sum((path) => countMarkdown(join(path, '.claude', 'commands'))),
    skills: await sum((path) => countSkills(join(path, '.claude', 'skills'))),
    hooks: settings.map(hooksIn).reduce((all, one) => all + one, 0),
    mcpServers: [servers, ...settings].flatMap((raw) => Object.keys(part(raw, 'mcpServers'))).length,
    instructions: instructions.flat(),
  }
}

async function countMarkdown(folder: string, depth = 0): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const counts = await Promise.all(
    entries.map((entry) => {
      if (!entry.isDirectory()) return entry.name.endsWith('.md') ? 1 : 0
      return depth < DEEPEST ? countMarkdown(join(folder, entry.name), depth + 1) : 0
    }),
  )
  return counts.reduce<number>((all, one) => all + one, 0)
}

async function countSkills(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  const found = await Promise.all(names.map((name) => exists(join(folder, name, 'SKILL.md'))))
  return found.filter(Boolean).length
}

/** The commands of all events. */
function hooksIn(raw: unknown): number {
  const groups = Object.values(part(raw, 'hooks')).flatMap((value) => (Array.isArray(value) ? value : []))
  return groups.reduce<number>((all, group) => {
    const hooks: unknown = part({ group }, 'group')['hooks']
    return all + (Array.isArray(hooks) ? hooks.length : 0)
  }, 0)
}

/** A regular file in the folder, at most 1 MB. Null: there is none, or it is not JSON. */
async function jsonAt(folder: string, name: string): Promise<unknown> {
  const read = await readPlainFile(join(folder, name), folder)
  return read.kind === 'text' ? (jsonOrUndefined(read.text.replace(/^\uFEFF/, '')) ?? null) : null
}

function part(raw: unknown, key: string): Readonly<Record<string, unknown>> {
  const value = isRecord(raw) ? raw[key] : null
  return isRecord(value) ? value : {}
}
