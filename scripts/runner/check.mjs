import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeModules, root } from './paths.mjs'
import { runProgram } from './run-program.mjs'
import { say } from './say.mjs'

const LIMIT = 180_000

/** The folders that the dependency rules cover. */
export const CRUISED = ['src', 'e2e', 'bench', 'scripts']

/**
 * The static checks: a name, and the commands that must all succeed.
 *
 * @param {readonly string[] | null} changed the files to format and lint; null: all
 * @returns {readonly { name: string, commands: readonly (readonly string[])[] }[]}
 */
function staticChecks(changed) {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const tsc = join(nodeModules, 'typescript', 'bin', 'tsc')
  const biome = [join(nodeModules, '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings']
  return [
    {
      name: 'format and lint',
      // Without a path, Biome reads all files.
      commands:
        changed === null
          ? [biome]
          : changed.length === 0
            ? []
            : [[...biome, '--no-errors-on-unmatched', ...changed]],
    },
    // Not `tsc --build`: it takes a project for unchanged when only a file that it imports has changed.
    {
      name: 'types',
      commands: references.map(({ path }) => [tsc, '--project', path, '--pretty', 'false', ...kept(path)]),
    },
    {
      name: 'dependency rules',
      commands: ['.dependency-cruiser.mjs', '.dependency-cruiser-folders.mjs'].map((config) => [
        join(nodeModules, 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs'),
        '--config',
        config,
        '--output-type',
        'err-long',
        ...CRUISED,
      ]),
    },
    {
      name: 'unused code',
      commands: [[join(nodeModules, 'knip', 'bin', 'knip.js'), '--no-progress', '--no-config-hints']],
    },
  ]
}

/** What tsc found is kept for the next time, which then reads the changed files only. */
const kept = (path) => [
  '--incremental',
  '--tsBuildInfoFile',
  join(nodeModules, '.cache', 'troupe', `${path.replaceAll(/[^a-z]+/g, '-')}.tsbuildinfo`),
]

/** Runs git in the checkout. @returns {readonly string[]} the lines of its output */
const git = (args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')

/** The files that differ from the last commit, new ones included. */
const changedFiles = () => [
  ...git(['diff', '--name-only', '--diff-filter=d', 'HEAD']),
  ...git(['ls-files', '--others', '--exclude-standard']),
]

/**
 * Runs all static checks in parallel and prints the result of each.
 *
 * @param {{ node: string, env: NodeJS.ProcessEnv }} tools
 * @param {{ onlyChanged?: boolean }} [options] onlyChanged: format and lint no other files
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runStaticChecks(tools, { onlyChanged = false } = {}) {
  const totals = { passed: 0, failed: 0 }
  await Promise.all(
    staticChecks(onlyChanged ? changedFiles() : null).map(async ({ name, commands }) => {
      const started = Date.now()
      const results = []
      for (const command of commands) {
        results.push(await runProgram(tools.node, command, { env: tools.env, capture: true, limit: LIMIT }))
      }
      const failures = results.filter(({ code }) => code !== 0)
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      if (failures.length === 0) {
        totals.passed += 1
        say(`✓ ${name} (${seconds} s)`)
        return
      }
      totals.failed += 1
      // A file that several projects include is reported by each.
      const lines = failures.flatMap(({ timedOut, output }) =>
        timedOut ? ['It took too long.'] : output.split('\n'),
      )
      const text = commands.length === 1 ? lines.join('\n') : [...new Set(lines)].join('\n')
      say(`✗ ${name} (${seconds} s)\n${text.trim()}`)
    }),
  )
  return totals
}
