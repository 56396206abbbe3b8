/** Commands that read more than their words show: patterns, braces, recursion, and options that run programs. */
import { describe, expect, it } from 'vitest'
import { fail } from '../../../shared/kernel/result.ts'
import { judgeCommand, type Situation, verdict } from './testing/judge.ts'

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

const verdicts = async (commands: readonly string[], situation: Situation = {}) =>
  Object.fromEntries(
    await Promise.all(
      commands.map(async (command) => [command, await verdict(judgeCommand(command, situation))] as const),
    ),
  )
const all = (commands: readonly string[], kind: string) =>
  Object.fromEntries(commands.map((command) => [command, kind]))

describe('patterns and braces', () => {
  it('run without permission inside the folder', async () => {
    const commands = lines(`
      grep -n needle src/*.ts
      head -5 src/*.ts
      cat src/*.ts
      cat src/{main,other}.ts
      tail -n 3 ./*.md src/ma?n.ts
      grep needle src/[a-m]*.ts
      grep needle ./*.json
      wc -l src/*.ts
      sed -n 1,5p src/*.ts
      git diff -- src/*.ts
      git log --oneline -- s*/main.ts
      sort -- src/*.ts
      rg needle ./s*
      ls s* lib/*
      ls -la src/*.ts
      stat {README.md,package.json}
      file ./*.md
      cat src/main.{ts,js}
      echo *.md {1..3}
      cd src && cat *.ts
      jq .name ./pack*.json`)
    expect(await verdicts(commands)).toEqual(all(commands, 'allow'))
  })

  it('ask where a match leads out of the folder', async () => {
    const commands = lines(`
      git diff ./{README.md,../secret/id}
      git diff l*/../../secret/id
      git diff {README.md,../secret/id}
      git diff -- 'a'{b,/../../secret/id}
      cat l*/../../secret/id
      cat {README.md,../secret/id}
      cat ./{src,{lib,..}}/secret/id
      cat ou*/passwd
      cat out/*
      cat src/*/../../../secret/id
      cat .*/secret/id
      cat /etc/pass*
      ls l*/../../secret
      ls out/*
      ls {src,/etc}
      ls {.,..}
      ls .*
      ls ?ut
      ls [o]ut
      ls -d */../../*
      stat {README.md,../secret/id}
      stat l*/../../secret/id
      file {README.md,/etc/passwd}
      file o*/passwd
      wc -c {~,/tmp}/x
      du {src,../secret}
      echo /etc/*
      echo ../*
      printf '%s' /home/*
      true /home/*
      cd {src,/etc}
      cd s* && cat main.ts
      head {1..99999}
      cat $X*`)
    expect(await verdicts(commands)).toEqual(all(commands, 'ask'))
  })

  it('ask where a match may contain a secret', async () => {
    const commands = lines(`
      cat .e*
      cat {.env,x}
      cat .en[v]
      cat .e?v
      cat k*/s*
      head keys/*
      grep TOKEN .env*
      cat n*
      cat */.env.local
      cat {README.md,.env}
      git diff .en*
      git show HEAD:{README.md,.env}
      diff README.md .e*`)
    // notes.txt is a link to .env.
    expect(await verdicts(commands, { rules: ['Bash'] })).toEqual(all(commands, 'ask'))
    expect(await verdicts(['ls .e*', 'stat .en*', 'wc -c .env*'])).toEqual({
      'ls .e*': 'allow',
      'stat .en*': 'allow',
      'wc -c .env*': 'allow',
    })
  })

  it('do not name files outside the folder in the reason', async () => {
    for (const command of ['ls /home/me/.b*', 'cat /etc/p*', 'ls /home/me/.ssh/../.b*'])
      expect(JSON.stringify(await judgeCommand(command, { mode: 'dontAsk' }))).not.toMatch(/bashrc|passwd/)
  })

  it('ask where a match could be an option, a script or a name that changes the effect', async () => {
    const commands = lines(`
      sort *
      rg needle *.ts
      git diff *.ts
      strings *
      find . -name *
      find s*/ -newer s*
      sed -n * README.md
      jq * package.json
      printf * x
      test -f *
      uniq n*.txt
      {rm,x}
      grep --inc{lude=x,y} TODO src
      rg --pr?=./evil x
      r* x
      grep -e * x
      {cat,README.md}`)
    expect(await verdicts(commands)).toEqual(all(commands, 'ask'))
  })

  it('ask about a pattern with too many matches', async () => {
    const look = {
      names: async () => Array.from({ length: 1001 }, (_, index) => `${index}.ts`),
      text: async () => null,
      findFile: never,
    }
    expect(await verdict(judgeCommand('cat src/*.ts', { look }))).toBe('ask')
  })

  it('are handled quickly', async () => {
    for (const command of [
      `cat ${'*a'.repeat(5000)}`,
      `cat ${'{a,b}'.repeat(3000)}`,
      `cat ${'{'.repeat(4000)}a,b${'}'.repeat(4000)}`,
      `ls ${'{a'.repeat(5000)},b`,
      `ls ${'*/'.repeat(3000)}`,
    ])
      expect(['ask', 'allow']).toContain(await verdict(judgeCommand(command)))
  })
})

const never = () => Promise.reject(new Error('not expected'))

describe('recursive searches', () => {
  it('run without permission where they show no secret', async () => {
    const commands = lines(`
      grep -rn TODO src
      grep -r TODO src lib
      grep TOKEN README.md
      grep -rn TODO . --include='*.ts'
      grep -rn TODO --exclude='.env*' --exclude-dir=keys .
      grep -rn TODO . --include=*.ts
      grep -rn TODO . --include=*.{ts,tsx}
      grep -rn TODO . --include='*.ts'
      grep -rn --exclude=.env* --exclude-dir={keys,config} TODO .
      rg --glob=*.ts TODO src
      rg TODO src
      rg -uuu TODO src
      rg --hidden TODO lib
      rg --files --hidden
      rg -t ts TODO src
      cat README.md | rg needle src
      git grep needle`)
    expect(await verdicts(commands)).toEqual(all(commands, 'allow'))
  })

  it('ask where they show a secret by the way', async () => {
    const commands = lines(`
      grep -r TOKEN .
      grep -r TOKEN
      grep -rn TOKEN ./
      grep --recursive TOKEN config
      grep -d recurse TOKEN .
      grep -dr TOKEN .
      egrep -rc T keys
      fgrep -rl T keys/../keys
      grep -r TOKEN . --include='.e*'
      grep -r TOKEN . --exclude=.env
      grep -r TOKEN k*
      grep -r TOKEN . --include=*
      grep -r TOKEN . --include=*.{ts,pem}
      grep -r TOKEN . --include=*.ts --exclude=x
      grep -r TOKEN . --exclude-dir=keys
      grep -r TOKEN . --include=.e[n]v
      cd config && grep -r TOKEN .
      time cd config; grep -r TOKEN .
      rg -uuu TOKEN
      rg -uu TOKEN config
      rg -. TOKEN config
      rg -n. TOKEN config
      rg --hidden -g .env TOKEN
      rg -g .env TOKEN
      rg --iglob '.ENV*' TOKEN config
      rg -g 'config/*' TOKEN config
      rg -u TOKEN keys
      rg --no-ignore TOKEN keys
      ls | rg -uuu TOKEN
      git grep --untracked TOKEN
      git grep -n --untracked TOKEN -- src
      git diff . config
      timeout 5 grep -r TOKEN .`)
    expect(await verdicts(commands, { rules: ['Bash'] })).toEqual(all(commands, 'ask'))
  })

  it('name the secret, and run where a rule allows to read it', async () => {
    expect(await judgeCommand('grep -r TOKEN config')).toMatchObject({
      kind: 'ask',
      because: expect.stringMatching(/config\/\.env\.local.*secret.*Grep tool/),
      alwaysRule: null,
    })
    expect(await verdict(judgeCommand('grep -r TOKEN config', { rules: ['Read(config/.env.local)'] }))).toBe(
      'allow',
    )
  })

  it('ask about rg where a secret is neither hidden nor ignored', async () => {
    const agent = { root: '/open' }
    expect(await verdicts(['rg TOKEN', 'rg -n TOKEN .'], { agent })).toEqual({
      'rg TOKEN': 'ask',
      'rg -n TOKEN .': 'ask',
    })
  })

  it('ask where the files can not be listed', async () => {
    const look = {
      names: async () => [],
      text: async () => null,
      findFile: async () => fail({ type: 'io', message: 'x' }),
    }
    expect(await verdict(judgeCommand('grep -r TODO src', { look }))).toBe('ask')
  })

  it('ask about diff of folders, which follows links', async () => {
    const commands = ['diff -N . lib', 'diff . lib', 'diff src lib', 'diff README.md src', 'diff {src,lib}']
    expect(await verdicts(commands)).toEqual(all(commands, 'ask'))
    expect(await verdict(judgeCommand('diff README.md src/main.ts'))).toBe('allow')
  })
})

describe('the folder after time', () => {
  it('is the folder of cd', async () => {
    const commands = lines(`
      time cd lib; cat ../../secret/id
      time cd lib; cat ../x/../../y
      time -p cd lib; cat ../../x
      time -- cd lib; cat ../../x
      ! time cd lib; cat ../../x
      time cd /etc; cat passwd
      time cd $X; cat README.md
      time eval cd x; cat README.md
      (time cd /etc; cat passwd)
      time cd /etc && cat passwd
      time ! cd /etc; cat passwd
      time cd ..; ls`)
    expect(await verdicts(commands)).toEqual(all(commands, 'ask'))
    expect(await verdict(judgeCommand('time cd src; cat main.ts'))).toBe('allow')
    expect(await verdict(judgeCommand('time cd lib && cat ../README.md'))).toBe('allow')
  })
})

describe('commands that only seem to read', () => {
  it('ask about a directive of printf that may set a variable', async () => {
    const commands = [
      '%ln',
      '%hn',
      '%zn',
      '%-ln',
      '%lln',
      '%5ln',
      '%*ln',
      '%.3ln',
      '%jn',
      '%tn',
      '%Ln',
      '% n',
      "%'n",
      '%%%ln',
      '%qn%n',
      '%(%n)T',
      '%',
    ].flatMap((format) => [
      `printf "${format}" PATH; ls`,
      `printf -- '${format}' PATH`,
      `time printf "${format}" PATH; ls`,
      `! printf "${format}" PATH; ls`,
      `command printf "${format}" PATH`,
    ])
    expect(await verdicts(commands.filter((command) => !command.includes('"%qn%n"')))).toEqual(
      all(
        commands.filter((command) => !command.includes('"%qn%n"')),
        'ask',
      ),
    )
    const plain = [
      "printf '%s\\n' a",
      "printf '%5.2f%% %-10s|%*d' 1 a 3 4",
      "printf 'a\\n'",
      "printf '%b%q%x%c' a b 1 d",
    ]
    expect(await verdicts(plain)).toEqual(all(plain, 'allow'))
  })

  it("ask about formats of git that run gpg's program", async () => {
    const formats = [
      '%G?',
      '%+G?',
      '%-GK',
      '% GG',
      '%+-G?',
      '%<(5)%G?',
      '%%%G?',
      '%C(red)%GS',
      'format:%h%GP',
      'tformat:%h %-GF',
    ]
    const commands = formats.flatMap((format) => [
      `git log --format='${format}'`,
      `git log --pretty='${format}'`,
      `git show -s --format='${format}'`,
      `git rev-list --format='${format}' HEAD`,
      `git stash list --format='${format}'`,
      `git reflog --format='${format}'`,
    ])
    commands.push(
      "git for-each-ref --format='%(signature)'",
      "git for-each-ref --format='%(signature:grade)'",
      "git branch --list --format='%(if)%(signature:key)%(then)x%(end)'",
      "git tag -l --format='%(*signature)'",
      'git for-each-ref --sort=-signature:signer',
      'git log --show-signature',
    )
    expect(await verdicts(commands)).toEqual(all(commands, 'ask'))
    const plain = [
      "git log --format='%h %an %ad %s'",
      "git log --pretty=format:'%C(auto)%h%d'",
      'git log --oneline',
      "git log --grep='100% Green'",
    ]
    expect(await verdicts(plain)).toEqual(all(plain, 'allow'))
  })

  it('ask about files with options, and about secrets named in options', async () => {
    const commands = [
      'strings @file',
      'strings -- @file',
      'strings -n @x README.md',
      'strings README.md @.env',
      'strings {@file,x}',
      'strings ./{x,@file}/../../secret/id',
      'git log -L 1,5:.env',
      'git log -L1,5:../secret/id',
    ]
    expect(await verdicts(commands)).toEqual(all(commands, 'ask'))
    expect(await verdicts(['strings src/main.ts', 'git log -L 1,5:src/main.ts'])).toEqual({
      'strings src/main.ts': 'allow',
      'git log -L 1,5:src/main.ts': 'allow',
    })
  })
})
