import { describe, expect, it } from 'vitest'
import { judgeCommand, verdict } from './testing/judge.ts'

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

describe('loops and conditions', () => {
  it.each(
    lines(`
      for f in src/main.ts lib/a.ts; do cat "$f"; done
      for f in src/main.ts lib/a.ts; do cat $f; done
      for f in src/*.ts; do wc -l "$f"; done
      for f in src/*.ts; do if [ -f "$f" ]; then head -3 "$f"; fi; done
      for f in src lib; do for g in a b; do echo "$f $g"; done; done
      if [ -f package.json ]; then cat package.json; elif [ -d src ]; then ls src; else ls; fi
      while read -r line; do echo "$line"; done < names.txt
      until false; do break; done
      case $(uname) in Linux | Darwin) ls;; *) ls src;; esac
      case x in (a) ls;; esac
      [[ -f package.json && ! -d dist ]] && cat package.json
      [[ ( -f a || "$x" == b* ) && 1 -eq 2 ]] || ls
      count=$(ls | wc -l); echo "$count"
      for d in src; do (cd "$d" && ls); done
      for f in src/main.ts; do cat "$f" | head -1; done | sort
      for F in src/*.ts; do wc -l "$F"; done`),
  )('only reads: %s', async (command) => {
    expect(await verdict(judgeCommand(command))).toBe('allow')
  })

  it.each(
    lines(`
      for f in a b; do rm "$f"; done
      for PATH in bin; do git status; done
      for PATH; do ls; done
      for IFS in a; do ls; done
      for path in bin; do ls; done
      for f in $(rm x); do ls; done
      for f in a; do ls; done > out.txt
      for c in rm ls; do $c x; done
      for f in /etc/passwd; do cat "$f"; done
      for f in ../*; do cat "$f"; done
      for f in a; do f=/etc/passwd; cat $f; done
      for f in a; do read f; cat "$f"; done
      for f in a; do eval 'f=/etc/passwd'; cat "$f"; done
      for f in a; do printf -v f /etc/passwd; cat "$f"; done
      for f in 'x /etc/passwd'; do cat $f; done
      for f in a; do for f in /etc/passwd; do cat "$f"; done; cat "$f"; done
      for f in .env; do cat "$f"; done
      for f in a; do cd ..; cat passwd; done
      for d in a b; do cd ..; ls; done
      while true; do cd ..; cat secret; done
      if rm x; then ls; fi
      if ls; then rm x; fi
      if ls; then ls; elif rm x; then ls; fi
      if ls; then ls; else rm x; fi
      while rm x; do ls; done
      while ls; do rm x; done
      case $(rm x) in a) ls;; esac
      case x in $(rm x)) ls;; esac
      case x in a) ls;; b) rm x;; esac
      case x in a) ls;; *) rm x; esac
      [[ -f $(rm x) ]]
      [[ -v 'a[$(rm x)]' ]]
      [[ 'a[$(rm x)]' -eq 0 ]]
      [[ $x -gt 0 ]]
      [[ -f /etc/passwd ]]
      [[ -f a && -o b ]]
      [[ a ]] && rm x
      if [[ a ]]; then rm x; fi
      PATH=. ; ls
      path=. ; ls
      fpath=. ; ls
      http_proxy=evil; ls
      path=$(rm x)
      read PATH < names.txt
      while IFS= read -r PATH; do ls; done
      IFS=x ls
      { if ls; then rm x; fi; }
      for f in a; do cat <<EOF; done
      time for f in a; do rm x; done`),
  )('may do more: %s', async (command) => {
    expect(await verdict(judgeCommand(command))).not.toBe('allow')
  })

  it('reads the heredoc of a loop', async () => {
    expect(await verdict(judgeCommand('while read -r x; do echo "$x"; done <<EOF\na\nEOF'))).toBe('allow')
    expect(await verdict(judgeCommand('while read -r x; do ls; done <<EOF\n$(rm x)\nEOF'))).toBe('ask')
    expect(await verdict(judgeCommand('for f in a; do cat <<EOF\n$(rm x)\nEOF\ndone'))).toBe('ask')
    expect(await verdict(judgeCommand("for f in a; do cat <<'EOF'\n$(rm x)\nEOF\ndone"))).toBe('allow')
  })
})

describe('awk', () => {
  it.each(
    lines(`
      awk '{print $1}' names.txt
      awk -F: '{print $1, $NF}' names.txt
      awk 'NR>=10 && NR<=20' src/main.ts
      awk 'length > 120 {print FILENAME": "FNR}' src/main.ts
      awk '/foo|bar/ {n++} END {print n/2, (n < 3 ? "a" : "b")}' names.txt
      awk 'BEGIN {for (i = 0; i < 3; i++) print i}'
      awk '{s += $2} END {printf "%d\\n", s}' names.txt
      awk -v n=3 '$1 == n' names.txt`),
  )('only prints: %s', async (command) => {
    expect(await verdict(judgeCommand(command))).toBe('allow')
  })

  it.each(
    lines(`
      awk '{print > "x"}' names.txt
      awk '{print $1 >> "x"}' names.txt
      awk '{printf "%s", $1 > $2}' names.txt
      awk '{print | "sh"}' names.txt
      awk 'BEGIN {system("rm x")}'
      awk 'BEGIN {"rm x" | getline}'
      awk 'BEGIN {while ((getline line < "/etc/passwd") > 0) print line}'
      awk 'BEGIN {ARGV[1] = "/etc/passwd"; ARGC = 2} {print}'
      awk 'BEGIN {print ENVIRON["HOME"]}'
      awk '@load "filefuncs"; {print}' names.txt
      awk 'BEGIN {f = "system"; @f("rm x")}'
      awk -f prog.awk names.txt
      awk -i inplace '{print}' names.txt
      awk '{print}' /etc/passwd
      awk '{print}' .env
      awk "{print \\$1}" /etc/passwd
      awk "$PROGRAM" names.txt
      awk '{if (1) /"/; print > "x"; y = /"/}' names.txt
      awk 'x++ /"/ {print > "x"} /"/' names.txt
      awk '{print (1) > "x"}' names.txt
      awk 'function f() {print}' names.txt`),
  )('may do more: %s', async (command) => {
    expect(await verdict(judgeCommand(command))).not.toBe('allow')
  })
})

describe('find -exec', () => {
  it.each(
    lines(`
      find src -type f -exec cat {} +
      find src -type f -name '*.ts' -exec grep -n main {} \\;
      find . -name '*.ts' -type f -exec grep -l main {} +
      find src lib -type f -exec wc -l '{}' +
      find src -name '*.ts' -exec wc -l {} +`),
  )('only reads: %s', async (command) => {
    expect(await verdict(judgeCommand(command))).toBe('allow')
  })

  it.each(
    lines(`
      find src -exec cat {} +
      find src -name '*.ts' -exec grep -l main {} +
      find . -type f -exec cat {} +
      find . -type f -exec grep -l main {} +
      find src -type f -exec rm {} +
      find src -type f -exec sh -c 'cat {}' ';'
      find src -type f -exec {} +
      find src -type f -exec cat {}x +
      find src -type f -exec cat {} + -exec rm {} +
      find src -type f -exec cat {} + -delete
      find src -type f -o -type l -exec cat {} +
      find src -not -type f -exec cat {} +
      find -L src -type f -exec cat {} +
      find /etc -type f -exec cat {} +
      find out -type f -exec cat {} +
      find src -type f -execdir cat {} +
      find src -type f -exec cat $X {} +
      find src -type f -exec cat /etc/passwd {} +
      find -type f -exec cat {} +
      find src -type f -exec tee {} +`),
  )('may do more: %s', async (command) => {
    expect(await verdict(judgeCommand(command))).not.toBe('allow')
  })
})

describe('find | xargs', () => {
  const clean = {
    look: {
      names: async () => ['a.ts'],
      text: async () => null,
      findFile: async () => ({ ok: true as const, value: null }),
    },
  }

  it.each(
    lines(`
      find src -name '*.ts' | xargs wc -l
      find src -type f -name '*.ts' -print0 | xargs -0 grep -l main
      find src -type f -name '*.ts' | xargs grep -n main
      find src -type f 2>/dev/null | xargs -n 1 head -3`),
  )('only reads: %s', async (command) => {
    expect(await verdict(judgeCommand(command, clean))).toBe('allow')
  })

  it.each(
    lines(`
      find src -type f | xargs rm
      find src -type f | xargs
      find src -type f | xargs -I{} cat {}
      find src -name '*.ts' | xargs cat
      find / -type f | xargs wc -l
      find src -type f -delete | xargs wc -l
      find src -type f -exec rm {} + | xargs wc -l
      find src -type f | sort | xargs cat
      echo /etc/passwd | xargs cat
      find src -type f | sh -c 'xargs cat'
      find src -type f | xargs cat /etc/passwd
      cat names.txt | xargs cat
      find src -type f && xargs cat`),
  )('may do more: %s', async (command) => {
    expect(await verdict(judgeCommand(command, clean))).not.toBe('allow')
  })

  it('asks where a name would be split into others', async () => {
    const names = ['src/x /etc/passwd']
    const look = {
      names: async () => ['x '],
      text: async () => null,
      findFile: async ({ passes }: { passes: (path: string) => boolean }) => ({
        ok: true as const,
        value: names.find(passes) ?? null,
      }),
    }
    const split = await judgeCommand('find src -type f | xargs wc -l', { look })
    expect(split).toMatchObject({ kind: 'ask', because: expect.stringContaining('splits names') })
    expect(await verdict(judgeCommand('find src -type f -print0 | xargs wc -l', { look }))).toBe('ask')
    expect(await verdict(judgeCommand('find src -type f -print0 | xargs -0 wc -l', { look }))).toBe('allow')
  })
})

describe('git in a folder inside', () => {
  it('reads where git finds the repository of the agent’s folder', async () => {
    expect(await verdict(judgeCommand('git -C src status'))).toBe('allow')
    expect(await verdict(judgeCommand('cd src && git status --short'))).toBe('allow')
    expect(await verdict(judgeCommand('git -C sub/store status'))).toBe('ask')
    expect(await verdict(judgeCommand('git -C missing status'))).toBe('ask')
    expect(await verdict(judgeCommand('git -C out status'))).toBe('ask')
  })

  it('asks where a folder looks like a bare repository', async () => {
    const look = {
      names: async () => ['HEAD', 'objects', 'refs', 'config'],
      text: async () => null,
      findFile: async () => ({ ok: true as const, value: null }),
    }
    expect(await verdict(judgeCommand('git -C src status', { look }))).toBe('ask')
  })
})
