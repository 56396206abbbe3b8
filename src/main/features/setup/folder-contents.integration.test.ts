import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { folderContents } from './folder-contents.ts'

let base: string
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(base, path)), { recursive: true })
  await writeFile(join(base, path), text)
}
const contents = (path = 'repo') => folderContents(join(base, path), join(base, 'home'))

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-contents-')))
  await mkdir(join(base, 'repo/.git'), { recursive: true })
  await writeFile(join(base, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n')
})
afterEach(() => rm(base, { recursive: true, force: true }))

test('counts what the folder and those around it up to the repository bring', async () => {
  const hook = {
    hooks: [
      { type: 'command', command: 'a' },
      { type: 'command', command: 'b' },
    ],
  }
  await put('repo/.claude/agents/a.md', '')
  await put('repo/.claude/agents/team/b.md', '')
  await put('repo/api/.claude/agents/c.md', '')
  await put('repo/.claude/commands/d.md', '')
  await put('repo/.claude/skills/release/SKILL.md', '')
  await put('repo/.claude/skills/empty/notes.md', '')
  await put('repo/AGENTS.md', '')
  await put('repo/api/CLAUDE.md', '')
  await put('repo/api/.mcp.json', JSON.stringify({ mcpServers: { one: {}, two: {} } }))
  await put('repo/api/.claude/settings.json', JSON.stringify({ hooks: { Stop: [hook], PreToolUse: [hook] } }))
  await put('repo/api/.claude/settings.local.json', JSON.stringify({ mcpServers: { three: {} } }))
  expect(await contents('repo/api')).toEqual({
    agents: 3,
    skills: 1,
    commands: 1,
    hooks: 4,
    mcpServers: 3,
    instructions: ['CLAUDE.md', '../AGENTS.md'],
  })
})

test('nothing, broken files, links that lead out and pipes count as nothing', async () => {
  const nothing = { agents: 0, skills: 0, commands: 0, hooks: 0, mcpServers: 0, instructions: [] }
  expect(await contents()).toEqual(nothing)
  await put('repo/.claude/settings.json', '{')
  await put('repo/.claude/settings.local.json', '{"hooks":{"Stop":[null,{"hooks":3}]},"mcpServers":[]}')
  await put('else.json', '{"mcpServers":{"a":{}}}')
  await symlink(join(base, 'else.json'), join(base, 'repo/.mcp.json'))
  expect(await contents()).toEqual(nothing)
  await rm(join(base, 'repo/.mcp.json'))
  execFileSync('mkfifo', [join(base, 'repo/.mcp.json')])
  expect(await contents()).toEqual(nothing)
})
