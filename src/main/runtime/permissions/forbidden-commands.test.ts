// biome-ignore-all lint/complexity/noUselessStringRaw: commands are shown as typed

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { triesOf } from '../../../shared/testing/tries.ts'
import { judgeCommand, type Situation, verdict } from './testing/judge.ts'

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

const agent = { denied: ['Bash(rm:*)', 'Bash(npm publish)', 'Bash(git push:*)'] }
const verdicts = async (commands: readonly string[], situation: Situation = {}) =>
  Object.fromEntries(
    await Promise.all(
      commands.map(
        async (command) =>
          [
            command,
            await verdict(
              judgeCommand(command, { agent, mode: 'bypassPermissions', rules: ['Bash'], ...situation }),
            ),
          ] as const,
      ),
    ),
  )
const all = (commands: readonly string[], kind: string) =>
  Object.fromEntries(commands.map((command) => [command, kind]))

describe('a denied command', () => {
  it('is denied behind every wrapper that can be seen through', async () => {
    const commands = lines(String.raw`
      rm x
      /bin/rm x
      exec rm x
      exec -a name rm x
      exec -cl rm x
      eval rm x
      eval 'rm x'
      eval "eval 'rm x'"
      env rm x
      env -i rm x
      env - rm x
      env -u X rm x
      env -iu X A=1 /bin/rm x
      env -S 'rm x'
      env '-Srm x'
      env -Srm x
      env --split-string='rm x'
      env -C src rm x
      nice rm x
      nice -5 rm x
      nice -n 5 rm x
      nice -n5 rm x
      nice --adjustment=5 rm x
      stdbuf -oL rm x
      stdbuf -o L rm x
      stdbuf --output=L rm x
      setsid rm x
      setsid -w rm x
      timeout 5 rm x
      timeout -k 1 5 rm x
      timeout -s KILL 5s rm x
      timeout -v 5 rm x
      timeout --signal=9 5 rm x
      nohup rm x
      nohup -- rm x
      time rm x
      time -p rm x
      command rm x
      command -p rm x
      builtin exec rm x
      sudo rm x
      sudo -u me rm x
      sudo -E A=1 rm x
      sudo -iu root rm x
      sudo -nEu root -- rm x
      find . -print0 | xargs -0 rm
      xargs -0rn1 rm
      xargs --no-run-if-empty --max-args 1 rm
      doas rm x
      su -c 'rm x'
      su me -c rm
      find . -exec rm {} ;
      find . -exec rm {} \;
      find . -name x -execdir /bin/rm -f {} +
      find . -ok rm {} \;
      find . -exec true \; -exec rm {} \;
      find . -exec sh -c 'rm x' \;
      bash -c 'rm x'
      sh -c "rm x"
      bash -ec 'ls; rm x'
      bash -e -o pipefail -c 'rm x'
      bash -c 'echo $(rm x)'
      bash -c "bash -c 'rm x'"
      bash -c -- 'rm x'
      dash -c 'A=1 rm x'
      xargs rm
      ls | xargs rm -f
      ls | xargs -n1 rm
      ls | xargs -n 1 -I {} rm {}
      ls | xargs -I{} sh -c 'rm {}'
      ls | xargs -0 env -i rm
      ionice -c 3 rm x
      taskset 1 rm x
      flock file rm x
      flock file -c 'rm x'
      chroot / rm x
      busybox rm x
      parallel rm ::: x
      parallel 'rm {}' ::: x
      watch -n 1 rm x
      strace -f rm x
      trap 'rm x' EXIT
      exec nice -5 env -i timeout 5 rm x
      ls && exec rm x
      (exec rm x)
      echo $(env -i rm x)
      nice npm publish
      env -i npm publish
      bash -c 'git push origin main'`)
    expect(await verdicts(commands)).toEqual(all(commands, 'deny'))
  })

  it('asks in every mode where it may run behind something that can not be seen through', async () => {
    const commands = lines(String.raw`
      $X y
      "$X" y
      /bin/r? x
      {rm,x}
      npm $X
      git $X origin
      exec $X
      env -i "$X" y
      eval "$X"
      eval $(cat x)
      bash -c "$X"
      bash -c 'f() { rm x; }; f'
      bash script.sh
      bash
      echo rm x | sh
      bash <<< 'rm x'
      sh < x
      bash -c -o errexit 'rm x'
      source x
      . x
      alias ls=rm
      hash -p /bin/rm ls
      find . $X rm {} \;
      xargs -I % $X %
      unknown rm x
      unknown --option -- rm x
      unknown 'rm x'
      unknown bash -c 'rm x'
      npm exec rm x
      docker exec box rm x
      git bisect run rm x
      git -c alias.x='!rm y' x
      git submodule foreach 'rm x'
      git rebase -x 'rm x' main
      fd -x rm
      echo $((a[0]))
      f() { ls; }; f
      ${'env '.repeat(20)}rm x
      unknown ${'env -a '.repeat(10)}rm x`)
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect(await verdicts(commands, { mode })).toEqual(all(commands, 'ask'))
    expect(await verdicts(commands, { mode: 'dontAsk' })).toEqual(all(commands, 'deny'))
    // It takes long to read, and reads the same in every mode.
    const long = [`unknown ${'env -a '.repeat(60)}rm x`]
    expect(await verdicts(long)).toEqual(all(long, 'ask'))
  })

  it('does not deny other commands', async () => {
    const commands = lines(String.raw`
      npm test
      npm run build
      npm publisher
      git commit -m 'rm x'
      git rm x
      docker rm x
      grep -rn rm src
      echo rm x
      echo 'rm x' > y
      man rm
      command -v rm
      which rm
      bash --version
      bash -c 'ls; npm test'
      timeout 5 npm test
      env -i A=1 npm test
      find . -name rm
      find . -exec grep rm {} +
      ls | xargs grep rm
      find . -print0 | xargs -0 grep rm
      xargs --null --no-run-if-empty grep rm
      timeout -v 5 grep rm x
      stdbuf -oL grep rm x
      sudo -nE grep rm x
      sudo -u me grep rm x
      flock file grep rm x
      git commit -am 'rm x'
      git commit --message 'rm x' y
      node -e 'process.exit(0)'
      make clean
      ./rmx`)
    expect(await verdicts(commands)).toEqual(all(commands, 'allow'))
  })

  it('is denied behind any nesting of wrappers', async () => {
    const wrappers = [
      'exec',
      'env -i',
      'nice -5',
      'stdbuf -oL',
      'setsid',
      'timeout 5',
      'nohup',
      'time',
      'sudo',
      'command',
      'xargs',
      'find . -exec',
    ]
    const nested = fc.array(fc.constantFrom(...wrappers), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(nested, fc.boolean(), async (names, inShell) => {
        const command = `${names.join(' ')} ${inShell ? "bash -c 'ls; rm x'" : 'rm x'}`
        expect([command, (await verdicts([command]))[command]]).toEqual([command, 'deny'])
      }),
      { numRuns: triesOf(300) },
    )
  })
})

describe('a rule with empty brackets', () => {
  it('allows nothing', async () => {
    const rules = ['Bash()', 'Bash( )', 'Bash(:*)', 'Bash( :* )', 'Bash(\n)', 'Edit()', 'Read( )']
    const commands = ['npm test', 'npm test > out.txt', 'cat .env', 'f() { ls; }; f']
    const situation = { agent: {}, mode: 'default' } as const
    expect(await verdicts(commands, { ...situation, rules })).toEqual(all(commands, 'ask'))
    expect(await verdicts(['npm test'], { ...situation, rules: ['Bash(*)'] })).toEqual({
      'npm test': 'allow',
    })
  })
})
