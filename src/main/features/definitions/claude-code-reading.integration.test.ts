/** What Troupe says about the files that Claude Code reads, compared with the real Claude Code. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { claudeCodeReading } from '../../../shared/agent-definition/claude-code-reading.ts'
import { realClaudeItself, withClaude } from '../external-agents/backing/testing/real-programs.ts'

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/definitions')

withClaude('Claude Code', () => {
  test('lists exactly the definitions that Troupe says it can read', async () => {
    const files = (await readdir(FIXTURES)).filter((file) => file.endsWith('.md') && file !== 'README.md')
    const base = await mkdtemp(join(tmpdir(), 'claude-reads-'))
    const agents = join(base, 'project', '.claude', 'agents')
    await mkdir(agents, { recursive: true })
    const said = new Map<string, string>()
    for (const [index, file] of files.entries()) {
      // Each file gets a name of its own, so that none shadows another.
      const text = (await readFile(join(FIXTURES, file), 'latin1')).replace(
        /^([ \t]*)name:[ \t]*[^\r\n]*$/m,
        (_, indent: string) => `${indent}name: agent-${index}`,
      )
      await writeFile(join(agents, file), text, 'latin1')
      const reading = claudeCodeReading(Buffer.from(text, 'latin1').toString())
      if (reading.kind === 'agent') said.set(file, reading.name)
    }
    const listed = new Set(await listedAgents(join(base, 'project'), join(base, 'home')))
    await rm(base, { recursive: true, force: true })
    const found = files.filter((file, index) => listed.has(said.get(file) ?? `agent-${index}`))
    expect(found).toEqual([...said.keys()])
    expect(found.length).toBeGreaterThan(300)
    expect(found.length).toBeLessThan(files.length - 50)
  })
})

/** The agents in the first message of Claude Code, before it makes a request. */
async function listedAgents(folder: string, home: string): Promise<readonly string[]> {
  const { command, env } = realClaudeItself({ api: { url: 'http://127.0.0.1:9' }, home })
  const child = spawn(command, ['-p', 'Go', '--output-format', 'stream-json', '--verbose'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line) as { readonly subtype?: string; readonly agents?: readonly string[] }
      if (message.subtype === 'init') return message.agents ?? []
    }
    throw new Error('Claude Code ended without its first message.')
  } finally {
    child.kill('SIGKILL')
  }
}
