// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell commands look like templates

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { triesOf } from '../../../shared/testing/tries.ts'
import { translateCommand } from './worktree-commands.ts'

const W = '/data/w/r/fixer-a'
const translate = (command: string, more: { path?: string; aliases?: readonly string[] } = {}) =>
  translateCommand(command, { path: W, aliases: ['/repo', '/my repo', '/srv/r+d (x)'], ...more })

describe('a path in a command', () => {
  it.each([
    ['cd /repo', `cd ${W}`],
    ['cd /repo/ && ls', `cd ${W}/ && ls`],
    ['cd /repo&&ls', `cd ${W}&&ls`],
    ['(cd /repo; ls)', `(cd ${W}; ls)`],
    ['cat /repo/a /repo/b', `cat ${W}/a ${W}/b`],
    ["cat '/repo/a b'", `cat '${W}/a b'`],
    ['cat "/repo/$NAME"', `cat "${W}/$NAME"`],
    ['cat /repo/"a b"', `cat ${W}/"a b"`],
    ['echo `ls /repo`', `echo \`ls ${W}\``],
    ['echo $(cat /repo/a)', `echo $(cat ${W}/a)`],
    ['cat </repo/a >/repo/b 2>/repo/c', `cat <${W}/a >${W}/b 2>${W}/c`],
    ['ls /repo|wc', `ls ${W}|wc`],
    ['HOME=/repo npm test', `HOME=${W} npm test`],
    ['make --directory=/repo', `make --directory=${W}`],
    ['make -C/repo', `make -C${W}`],
    ['gcc -I/repo/include -L /repo/lib', `gcc -I${W}/include -L ${W}/lib`],
    ['PATH=/bin:/repo/bin:$PATH x', `PATH=/bin:${W}/bin:$PATH x`],
    ['docker run -v /repo:/app x', `docker run -v ${W}:/app x`],
    ['curl -d @/repo/body.json host', `curl -d @${W}/body.json host`],
    ['cp {/repo/a,/repo/b} .', `cp {${W}/a,${W}/b} .`],
    ['bash -c "cd /repo && git status"', `bash -c "cd ${W} && git status"`],
    ['git -C /repo log', `git -C ${W} log`],
    ['git --work-tree=/repo status', `git --work-tree=${W} status`],
    ['cd \\\n/repo\\\n&& ls', `cd \\\n${W}\\\n&& ls`],
    ['cat /repo/src/../a', `cat ${W}/src/../a`],
    ['cat /repo/a\\ b', `cat ${W}/a\\ b`],
    ['cat /my\\ repo/a', `cat ${W}/a`],
    ["cat '/my repo/a'", `cat '${W}/a'`],
    ['cat "/my repo"/a', `cat "${W}"/a`],
    ['cat /srv/r+d\\ \\(x\\)/a "/srv/r+d (x)/b"', `cat ${W}/a "${W}/b"`],
    ["python3 - <<'EOF'\nopen('/repo/a')\nEOF", `python3 - <<'EOF'\nopen('${W}/a')\nEOF`],
    [`python3 -c 'print(open("/repo/a").read())'`, `python3 -c 'print(open("${W}/a").read())'`],
    ['for d in /repo; do ls $d; done', `for d in ${W}; do ls $d; done`],
  ])('is translated: %s', (command, wanted) => {
    expect(translate(command)).toBe(wanted)
  })

  it.each([
    'ls /repo-evil /repo.bak /repository /repo_2',
    'ls /x/repo /repo/../etc /repo/a/../../b',
    'ls repo ./repo ../repo ~/repo $HOME/repo',
    'curl file:///repo/a https://example.org/repo/a http://localhost:80/repo',
    'rsync me@host:/repo/a . && git clone git@github.com:/repo/x',
    'ls /repo*',
    'ls /my\\ repository /my',
    `cat ${W}/repo/a`,
    'echo nothing to see',
    '',
  ])('stays unchanged: %s', (command) => {
    expect(translate(command)).toBe(command)
  })

  it('stays unchanged in a worktree inside the checkout', () => {
    const path = '/repo/.data/w/fixer-a'
    expect(translate(`cat ${path}/a /repo/.data/w/other-b/a /repo/c`, { path })).toBe(
      `cat ${path}/a /repo/.data/w/other-b/a ${path}/c`,
    )
  })

  it('is quoted for its position, since the data folder may have any name', () => {
    const path = `/Application Support/it's $5 "a"/x`
    const bare = `/Application\\ Support/it\\'s\\ \\$5\\ \\"a\\"/x`
    const single = `/Application Support/it'\\''s $5 "a"/x`
    const double = `/Application Support/it's \\$5 \\"a\\"/x`
    expect(translate('cat /repo/a', { path })).toBe(`cat ${bare}/a`)
    expect(translate("cat '/repo/a b'", { path })).toBe(`cat '${single}/a b'`)
    expect(translate('cat "/repo/a b"', { path })).toBe(`cat "${double}/a b"`)
    expect(translate('cat "$(ls /repo)" \'/repo\'', { path })).toBe(`cat "$(ls ${bare})" '${single}'`)
    expect(translate(`echo don\\'t /repo # don't\ncat '/repo'`, { path })).toBe(
      `echo don\\'t ${bare} # don't\ncat '${single}'`,
    )
    expect(translate("cat <<A <<'B'\nit's /repo\nA\n\"/repo\nB\ncat /repo", { path })).toBe(
      `cat <<A <<'B'\nit's ${path}\nA\n"${path}\nB\ncat ${bare}`,
    )
  })

  it('is translated once: a second translation changes nothing', () => {
    const word = fc.constantFrom(
      ...[' ', '\n', '"', "'", '`', '$(', ')', '(', '\\', '<<E', 'E', '#', ';', '&&', 'cd', '-C'],
      ...['/repo', '/repo/a', '/repo/..', '/repo-x', '/my repo', '/my\\ repo/b', 'x', '$X', '=', ':'],
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (command) => {
        const once = translate(command.join(''))
        expect(translate(once)).toBe(once)
        const lines = (text: string) => text.split('\n').length
        expect(lines(once)).toBe(lines(command.join('')))
      }),
      { numRuns: triesOf(500) },
    )
  })
})
