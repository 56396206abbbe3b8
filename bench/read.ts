/** `troupe agents read` on two thousand files, as a whole process. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, median } from './figure.ts'
import { inFreshFolders, root, time } from './troupe.ts'

const FILES = 2000
const RUNS = 10

export function measure(): Promise<readonly Figure[]> {
  return inFreshFolders({}, async ({ folder, home }) => {
    const agents = join(folder, 'agents')
    await mkdir(agents)
    for (let at = 0; at < FILES; at++) await writeFile(join(agents, `agent-${at}.md`), definition(at))
    const read = () =>
      time([join(root, 'out', 'cli.mjs'), 'agents', 'read', '--json', agents], {
        cwd: folder,
        env: { TROUPE_HOME: home },
      })
    const runs: number[] = []
    const bare: number[] = []
    await read()
    for (let run = 0; run < RUNS; run++) {
      runs.push((await read()).wall)
      bare.push((await time(['-e', '0'], { cwd: folder })).wall)
    }
    return [
      {
        name: '`troupe agents read --json`: 2,000 definitions of 2 to 9 KB, whole process',
        unit: 'ms',
        runs,
        reference: { name: '`node -e 0`', runs: bare },
        target: '≤ 1,500 ms',
        met: median(runs) <= 1500,
      },
    ]
  })
}

/** One in thirteen is not valid YAML, as among real files. */
function definition(at: number): string {
  const use =
    at % 13 === 0
      ? `Use this agent when: the user asks for number ${at}. <example>user: "hello"</example>`
      : `Use this agent when the user asks for number ${at} or for things like it, proactively.`
  const tools = at % 3 === 0 ? 'tools: [Read, Grep, Glob]' : 'tools: Read, Grep, Bash(git diff:*)'
  const sentence = 'You look at every change twice, and say what is wrong with it, where it is, and why.\n'
  return `---\nname: agent-${at}\ndescription: ${use}\n${tools}\nmodel: sonnet\ncolor: blue\n---\n\n# Role\n\n${sentence.repeat(20 + (at % 80))}`
}
