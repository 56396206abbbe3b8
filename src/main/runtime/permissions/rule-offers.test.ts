import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { checkRule } from '../../../shared/rules/rule-form.ts'
import { domainOffers } from './decide-fetch.ts'
import type { PermissionDecision } from './permission-concern.ts'
import { inWorktree, judgeCommand, judgeRead, judgeWrite, type Situation, verdict } from './testing/judge.ts'

const rulesOf = (decision: PermissionDecision) =>
  decision.kind === 'ask' ? (decision.offers?.map(({ rule }) => rule) ?? decision.alwaysRule) : decision.kind

const offered = async (command: string, situation: Situation = {}) =>
  rulesOf(await judgeCommand(command, situation))

describe('a command', () => {
  it.each<[string, readonly string[]]>([
    ['make test', ['Bash(make test)']],
    ['npm run test', ['Bash(npm run test)', 'Bash(npm run test:*)', 'Bash(npm run:*)']],
    ['npm run test:unit', ['Bash(npm run test:unit)', 'Bash(npm run test:unit:*)', 'Bash(npm run:*)']],
    ['pnpm run lint --fix', ['Bash(pnpm run lint --fix)', 'Bash(pnpm run lint:*)', 'Bash(pnpm run:*)']],
    ['npm test', ['Bash(npm test)', 'Bash(npm test:*)']],
    ['yarn test', ['Bash(yarn test)', 'Bash(yarn test:*)']],
    ['bun run test:e2e a', ['Bash(bun run test:e2e a)', 'Bash(bun run test:e2e:*)']],
    ['npx tsc --noEmit', ['Bash(npx tsc --noEmit)', 'Bash(npx tsc:*)']],
    ['uv run pytest -q', ['Bash(uv run pytest -q)', 'Bash(uv run pytest:*)']],
    ['npx playwright test a', ['Bash(npx playwright test a)', 'Bash(npx playwright test:*)']],
    ['git add src', ['Bash(git add src)', 'Bash(git add:*)']],
    ['mkdir -p a/b', ['Bash(mkdir -p a/b)', 'Bash(mkdir:*)']],
    ['timeout 60 npm test', ['Bash(timeout 60 npm test)', 'Bash(npm test:*)']],
  ])('%s is offered %j', async (command, rules) => {
    expect(await offered(command)).toEqual(rules)
  })

  it('has a rule for its only part that needs one', async () => {
    const rules = ['Bash(npm test)', 'Bash(npm test:*)']
    expect(await offered('npm test 2>&1 | tail -20')).toEqual(rules)
    expect(await offered('cd src && npm test; echo done')).toEqual(rules)
    expect(await offered('ls && make')).toEqual(['Bash(make)'])
  })

  it('has a rule for the whole line if several parts need one, and wider ones that cover all of them', async () => {
    expect(await offered('npm run build && npm run test')).toEqual([
      'Bash(npm run build && npm run test)',
      'Bash(npm run:*)',
    ])
    expect(await offered('make && ./deploy')).toEqual(['Bash(make && ./deploy)'])
    expect(await offered('make > out.txt')).toEqual(['Bash(make > out.txt)'])
  })

  it('says what else a rule covers', async () => {
    const decision = await judgeCommand('npm run test')
    expect(decision).toMatchObject({
      alwaysRule: 'Bash(npm run test)',
      offers: [
        { rule: 'Bash(npm run test)' },
        { alsoCovers: 'npm run test with any other arguments, also for files outside the folder' },
        { alsoCovers: 'every other script of package.json, for example npm run deploy' },
      ],
    })
  })

  it.each([
    'make $TARGET && make',
    'make $(cat target) && ./x',
    'eval "$X"',
    'npm test > .git/hooks/pre-commit',
    'rm *.log',
    "sed -i 's/a*/b/' x",
    'cat .env',
    `make ${'x'.repeat(500)}`,
  ])('%s is offered nothing', async (command) => {
    expect(await offered(command)).toEqual([])
  })

  it('that a rule asks about is offered nothing', async () => {
    expect(await offered('npm test', { asked: ['Bash(npm:*)'] })).toEqual([])
  })
})

describe('no wider rule', () => {
  /** Calls that agents make, and whose offers are looked at. */
  const COMMANDS = (
    'npm test|npm run build|npm run publish|npm install x|npm publish|npm exec x|npx some-tool|npx -y tsc|yarn add x|' +
    'yarn node a|bun a.ts|bun run a.ts|bun x y|pnpm dlx a|node a.js|python a.py|python -m pytest|ruby a|perl a|sh a|' +
    'bash a|sudo ls|env make|xargs make|timeout 5 make|rm a|rm -rf a|mv a b|cp a b|curl example.com|wget a|ssh h|' +
    'git push|git push origin main|git commit -m a|git add .|git checkout a|git reset --hard|git clean -f|git rm a|' +
    'git config a b|git -c a=b add x|git fetch|git submodule add a|docker run a|kubectl apply|terraform apply|' +
    'make a|cargo test|cargo run|go test ./...|go run a|find . -delete|sed -i s/a/b/ c|awk -i a b|tee a|dd of=a|' +
    'chmod +x a|chown a b|kill 1|crontab a|ln -s a b|eslint .|vitest run|tsc|jest|pytest|ruff check|ruff a|' +
    'playwright install|playwright test|biome check|biome start|gh pr create|aws s3 rm a|pip install a|uv run a.py|' +
    'poetry run python a|uv run python -c a|npx ts-node a|mkdir a|prettier --write .|pnpm exec node a|npm run'
  ).split('|')
  /** What no offer for another command may allow. */
  const DANGEROUS = (
    'rm -rf x|sudo ls|bash -c x|sh x|zsh x|node -e x|node x.js|python -c x|python3 x.py|ruby -e x|perl -e x|' +
    'curl https://example.com|wget x|ssh host ls|scp a b|git push|git push --force|git reset --hard|git clean -fdx|' +
    'git checkout .|git config core.pager x|git -c core.pager=x log|npm publish|npm install evil|npm exec evil|' +
    'npx evil|yarn add evil|yarn node x|yarn dlx evil|pnpm dlx evil|pnpm exec node x|bun evil.ts|bun run evil.ts|' +
    'bunx evil|pip install evil|uv run evil.py|uv run python -c x|poetry run python x|docker run evil|' +
    'kubectl delete x|terraform destroy|make SHELL=x|cargo publish|go run x|go test -exec x|cargo test --config x|' +
    'find . -delete|find . -exec rm x|xargs rm|env X=1 node x|timeout 5 node x|nohup node x|dd of=x|mv a b|cp a b|' +
    'chmod 777 x|crontab x|kill 1|eval x|exec node x|source x|tee x|sed -i s/a/b/ x|playwright install|ruff rule|' +
    'aws s3 rm x|gh pr merge|npx playwright codegen'
  ).split('|')

  test.each(COMMANDS)('that is offered for %s allows anything dangerous', async (command) => {
    const rules = await offered(command)
    for (const rule of Array.isArray(rules) ? rules.slice(1) : [])
      for (const dangerous of DANGEROUS) {
        const decided = await verdict(judgeCommand(dangerous, { rules: [rule] }))
        expect(decided, `${rule}: ${dangerous}`).toBe(await verdict(judgeCommand(dangerous)))
      }
  })
})

describe('a file', () => {
  const written = async (path: string, situation: Situation = {}) =>
    rulesOf(await judgeWrite(path, situation))
  const read = async (path: string, situation: Situation = {}) => rulesOf(await judgeRead(path, situation))

  it('that is written is offered with the folders around it', async () => {
    expect(await written('src/a/b/c.ts')).toEqual([
      'Edit(src/a/b/c.ts)',
      'Edit(/src/a/b/**)',
      'Edit(/src/**)',
    ])
    expect(await written('src/main.ts')).toEqual(['Edit(src/main.ts)', 'Edit(/src/**)'])
    expect(await written('main.ts')).toEqual(['Edit(./main.ts)'])
    expect(await written('src/[id]/a.ts')).toContain('Edit(/src/\\[id\\]/**)')
    expect(await written('.github/workflows/ci.yml')).toHaveLength(1)
    expect(await written('/tmp/a/b/c/d')).toEqual(['Edit(//tmp/a/b/c/d)'])
    expect(await written('.git/config')).toEqual([])
    expect(await written('src/main.ts', { agent: inWorktree })).toContain('Edit(/src/**)')
  })

  it('has wider rules that cover the file and nothing beside the folder', async () => {
    const judge = (path: string) => verdict(judgeWrite(path, { rules: ['Edit(/src/**)'] }))
    expect(await judge('src/main.ts')).toBe('allow')
    expect(await judge('lib/src/main.ts')).toBe('ask')
    expect(await judge('src-other/main.ts')).toBe('ask')
    expect(await judge('src/.git/config')).toBe('ask')
  })

  it('outside the folder is offered with its folder, unless that is near the root', async () => {
    expect(await read('/home/me/lib/docs/a.md')).toEqual([
      'Read(//home/me/lib/docs/a.md)',
      'Read(//home/me/lib/docs/**)',
    ])
    expect(await read('/home/me/a.md')).toEqual(['Read(//home/me/a.md)'])
    expect(await read('/etc/passwd')).toEqual(['Read(//etc/passwd)'])
    expect(await read('/home/me/.config/x/a')).toEqual(['Read(//home/me/.config/x/a)'])
    expect(await read('/home/me/lib', { tool: 'Grep' })).toEqual(['Read(//home/me/lib)'])
    expect(await read('/home/me', { tool: 'Grep' })).toEqual([])
    expect(await read('/', { tool: 'Glob' })).toEqual([])
    expect(await read('/home/me/lib/docs/.env')).toEqual([])
  })

  it('that may contain a secret needs a rule that names it', async () => {
    const judge = (path: string, rule: string) => verdict(judgeRead(path, { rules: [rule] }))
    expect(await judge('/home/me/lib/docs/a.md', 'Read(//home/me/lib/**)')).toBe('allow')
    expect(await judge('/home/me/lib/docs/.env', 'Read(//home/me/lib/**)')).toBe('ask')
    expect(await judge('/home/me/.ssh/id_rsa', 'Read(//home/me)')).toBe('ask')
    expect(await judge('/home/me/.ssh/id_rsa', 'Read(//home/me/.ssh/**)')).toBe('allow')
    expect(await judge('config/.env.local', 'Read(config/.env*)')).toBe('allow')
    expect(await judge('keys/server.pem', 'Read(*.pem)')).toBe('allow')
    expect(await verdict(judgeCommand('cat keys/server.pem', { rules: ['Read(keys/**)'] }))).toBe('ask')
    expect(await verdict(judgeCommand('cat keys/server.pem', { rules: ['Read(keys/*.pem)'] }))).toBe('allow')
  })
})

describe('a web page', () => {
  const hosts = (host: string) => domainOffers('WebFetch', host).map(({ rule }) => rule.slice(16, -1))

  it.each<[string, readonly string[]]>([
    ['example.com', ['example.com']],
    ['docs.example.com', ['docs.example.com', '*.example.com']],
    ['www.example.co.uk', ['www.example.co.uk', '*.example.co.uk']],
    ['docs.co.uk', ['docs.co.uk']],
    ['someone.github.io', ['someone.github.io']],
    ['docs.github.io', ['docs.github.io']],
    ['docs.x.amazonaws.com', ['docs.x.amazonaws.com']],
    ['bucket.example.com', ['bucket.example.com']],
    ['localhost', ['localhost']],
    ['127.0.0.1', ['127.0.0.1']],
    ['', []],
  ])('of %s is offered with %j', (host, expected) => {
    expect(hosts(host)).toEqual(expected)
  })
})

describe('any offer', () => {
  const name = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => !/[/\0]|^\.{1,2}$/.test(text))
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))

  test('for a file covers the file, and the exact one no other', async () => {
    await fc.assert(
      fc.asyncProperty(path, path, async (below, other) => {
        const decision = await judgeWrite(below)
        const offers = decision.kind === 'ask' ? (decision.offers ?? []) : []
        for (const { rule } of offers) {
          expect(checkRule(rule, 'allow').ok).toBe(true)
          expect([rule, await verdict(judgeWrite(below, { rules: [rule] }))]).toEqual([rule, 'allow'])
        }
        const [exact] = offers
        if (exact === undefined || `${other}/`.startsWith(`${below}/`)) return
        expect(await verdict(judgeWrite(other, { rules: [exact.rule] }))).not.toBe('allow')
      }),
      { seed: 55 },
    )
  })

  test('for a command covers the command, and the exact one no other', async () => {
    const word = fc.oneof(
      fc.constantFrom(
        'npm',
        'run',
        'test',
        '-v',
        'make',
        '*',
        '"a b"',
        "'*'",
        '&&',
        '|',
        ';',
        '>',
        '$X',
        'a.ts',
        ':*',
        '~',
      ),
      fc.string({ maxLength: 3 }),
    )
    // Not an operator, a redirect or a comment: these leave the command as it is.
    const next = word.filter((text) => /^[^\s<>|&;#(]+$/.test(text))
    const line = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `make ${words.join(' ')}`)
    await fc.assert(
      fc.asyncProperty(line, next, async (command, more) => {
        const decision = await judgeCommand(command)
        const offers = decision.kind === 'ask' ? (decision.offers ?? []) : []
        for (const { rule } of offers) {
          expect(checkRule(rule, 'allow').ok).toBe(true)
          expect([rule, await verdict(judgeCommand(command, { rules: [rule] }))]).toEqual([rule, 'allow'])
        }
        const [exact] = offers
        if (exact === undefined || exact.alsoCovers !== undefined) return
        const longer = `${command} ${more}x`
        if ((await judgeCommand(longer)).kind === 'ask')
          expect([exact.rule, await verdict(judgeCommand(longer, { rules: [exact.rule] }))]).toEqual([
            exact.rule,
            'ask',
          ])
      }),
      { seed: 55 },
    )
  })

  it('is one that can be read again', async () => {
    expect(await offered('make a\u200bb')).toEqual([])
    expect(await offered('make a')).toEqual(['Bash(make a)'])
    expect(rulesOf(await judgeWrite('$x/a'))).toContain('Edit(./$x/a)')
    expect(rulesOf(await judgeWrite('a\\b/c'))).toContain('Edit(a\\\\b/c)')
  })
})
