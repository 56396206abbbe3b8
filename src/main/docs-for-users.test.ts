/** The docs that users and the guide agent read are complete. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { definitionFields } from '../shared/agent-definition/definition-fields.ts'
import { permissionModes } from '../shared/permission-modes.ts'
import { defaultSettings } from '../shared/settings.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/using')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

describe('the docs for users', () => {
  test('describe every key of a definition, by all its names', () => {
    const text = read('agents.md')
    const keys = definitionFields.flatMap(({ key, also }) => [key, ...also])
    const short = keys.map((key) => key.replace('criticalSystemReminder_EXPERIMENTAL', '…_EXPERIMENTAL'))
    expect(short.filter((key) => !text.includes(`\`${key}\``))).toEqual([])
  })

  test('describe every built-in agent', () => {
    const names = readdirSync(join(root, 'agents')).map((name) => name.replace(/\.md$/, ''))
    const text = read('agents.md')
    expect(names.filter((name) => !text.includes(`| ${name} `))).toEqual([])
  })

  test('describe every setting, with its default', () => {
    const rows = new Map(
      read('settings.md')
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
        .map(([, key = '', value = '']) => [key, value]),
    )
    for (const [key, value] of Object.entries(defaultSettings))
      expect(rows.get(key)?.replaceAll(' ', ''), key).toBe(JSON.stringify(value))
  })

  test('describe every permission mode', () => {
    const text = read('permissions.md')
    expect(permissionModes.filter((mode) => !text.includes(`\`${mode}\``))).toEqual([])
  })

  test('link only to existing files, and the README links to every file', () => {
    const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
    const links = files.flatMap((name) =>
      [...read(name).matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => ({ name, path })),
    )
    expect(links.filter(({ path }) => !existsSync(join(folder, path)))).toEqual([])
    const listed = links.filter(({ name }) => name === 'README.md').map(({ path }) => path)
    expect(files.filter((name) => name !== 'README.md' && !listed.includes(name))).toEqual([])
  })
})
