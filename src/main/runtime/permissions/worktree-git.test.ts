// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell commands look like templates
import { describe, expect, it } from 'vitest'
import { inWorktree, judgeCommand, type Situation } from './testing/judge.ts'

/** The most permissive mode, so that only the git guard decides. */
const judge = (command: string, more: Situation = {}) =>
  judgeCommand(command, { mode: 'bypassPermissions', agent: inWorktree, ...more })

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())

describe('git in a worktree', () => {
  it.each(
    lines(`
      git log main
      git log --oneline main..HEAD
      git diff main...HEAD
      git diff main..HEAD -- src
      git show other:src/a.ts
      git status
      git -C src status
      git -C /worktree log
      git -C sub -C .. status
      git --git-dir=.git status
      git branch
      git branch --list 'troupe/*'
      git branch -a --contains HEAD
      git branch backup
      git stash list
      git stash show -p
      git worktree list
      git config --get user.name
      git tag -l
      git notes list
      git remote -v
      git remote show origin
      git reflog
      git symbolic-ref --short HEAD
      git submodule status
      git submodule update --init`),
  )('reads without permission: %s', async (command) => {
    expect(await judge(command)).toMatchObject({ kind: 'allow' })
  })

  it.each(
    lines(`
      git add -A
      git add src/*.ts
      git commit -m "git stash is not used"
      git commit -qm "$MESSAGE"
      git -c user.name=Me -c user.email=me@x commit -m x
      git merge main
      git merge --abort
      git rebase main
      git rebase -i --onto main HEAD~3
      git rebase --onto main HEAD~3 troupe/fixer-a
      git rebase --continue
      git rebase -s ort main
      git cherry-pick abc123
      git revert HEAD
      git reset --hard HEAD~1
      git restore --source=main -- src/a.ts
      git checkout -- src/a.ts
      git checkout main -- src/a.ts
      git checkout HEAD src/a.ts
      git checkout main -- "$FILE" *.ts
      git checkout main src/*.ts
      git checkout -- $FILES
      xargs git checkout --
      git checkout .
      git checkout ./src
      git checkout troupe/fixer-a
      git checkout --ours a.ts b.ts
      git switch troupe/fixer-a
      git clean -fd
      git fetch
      git fetch origin main
      git fetch --depth 1 git@host.org:group/repo.git main
      git fetch https://host.org/x.git main
      git fetch origin main:refs/remotes/origin/main
      git pull --rebase origin main
      git bisect start HEAD main
      git apply fix.patch
      git init scratch
      git bundle create mine.bundle HEAD
      cd src && git commit -am x
      (cd src; git add .)
      GIT_INDEX_FILE=tmp/index git add -A
      GIT_AUTHOR_NAME=Me git commit -m x
      GIT_CONFIG_GLOBAL=/dev/null npm test
      xargs git add
      git ls-files | xargs git rm --cached
      find . -name git -type f
      sudo -u me ls git
      which git
      command -v git
      echo "git stash"
      grep -rn "git stash" src
      if git diff --quiet; then git add -A; fi
      for f in a b; do git add $f; done
      if true; then cd /worktree/src; git add .; fi
      if true; then cd "/worktree"; git add .; fi`),
  )('works as in any folder: %s', async (command) => {
    expect(await judge(command)).toMatchObject({ kind: 'allow' })
  })

  it('does not mistake a commit message for an option', async () => {
    const message = `"$(cat <<'EOF'\ngit stash\ncd /repo && git log\nEOF\n)"`
    expect(await judge(`git commit -m ${message}`)).toMatchObject({ kind: 'allow' })
  })

  it('asks about reading settings, as outside a worktree', async () => {
    for (const command of ['git config user.name', 'git config --get-regexp .'])
      expect(await judge(command)).toMatchObject({ kind: 'ask' })
  })

  it.each(
    lines(`
      git -C /repo commit -am x
      git -C /repo log
      git -C .. status
      git -C src -C ../.. add .
      git -C to-project commit -m x
      git --git-dir=/repo/.git log
      git --git-dir /repo/.git --work-tree . add a
      git --work-tree=/repo checkout .
      git --work-tree=.. status
      git --bare log
      git --namespace=x push
      git --exec-path=/tmp/evil status
      git --git-d=/repo/.git status
      git --unknown-option status
      cd /repo && git commit -am x
      cd .. && git status
      cd to-project && git add .
      (cd /repo; git log)
      cd /elsewhere; git log
      GIT_DIR=/repo/.git git log
      GIT_WORK_TREE=/repo git checkout -- .
      GIT_DIR= git log
      GIT_DIR=$(pwd)/x git log
      GIT_COMMON_DIR=x git log
      GIT_INDEX_FILE=/repo/.git/index git add a
      GIT_CEILING_DIRECTORIES= git log
      GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x git x
      GIT_CONFIG_GLOBAL=evil git status
      GIT_DIR=/repo/.git
      export GIT_DIR=/repo/.git
      export FOO=1 GIT_WORK_TREE=/repo && git status
      env GIT_DIR=/repo/.git git log
      env -i GIT_WORK_TREE=/repo git add .
      git -c alias.x='!rm -rf /' x
      git -c core.worktree=/repo status
      git -c Core.HooksPath=evil commit
      git -c include.path=evil commit
      git --config-env=alias.x=EVIL x
      git -c remote.origin.fetch=+a:b fetch
      command git -C /repo stash
      /usr/bin/git -C /repo commit
      env git -C /repo commit
      xargs git -C /repo rm
      sh -c "cd /repo && git commit -am x"
      bash -lc 'git -C /repo log'
      $(git -C /repo commit -m x)
      echo "$(cd /repo; git commit -m x)"
      g"i"t -C /re'po' log`),
  )('stays inside in every mode: %s', async (command) => {
    expect(await judge(command)).toMatchObject({ kind: 'deny', because: expect.stringContaining('worktree') })
    expect(await judge(command, { mode: 'default', rules: ['Bash'] })).toMatchObject({ kind: 'deny' })
  })

  it.each(
    lines(`
      git stash
      git stash push -m x
      git stash pop
      git stash drop
      git stash clear
      git -p stash
      git worktree add ../x
      git worktree remove x
      git worktree prune
      git worktree move a b
      git worktree lock a
      git worktree repair
      git branch -d other
      git branch -D other
      git branch -vD other
      git branch --del other
      git branch -m renamed
      git branch -M main other
      git branch -f main HEAD
      git branch -c main copy
      git branch --force main HEAD
      git checkout main
      git checkout src/a.ts
      git checkout -
      git checkout --detach
      git checkout HEAD~3
      git checkout main --
      git checkout -f main
      git checkout -b new
      git checkout -qb new
      git checkout -B main
      git checkout --orphan new
      git checkout --orp new
      git checkout -t origin/x
      git switch main
      git switch -
      git switch -c new
      git switch --create new
      git switch --detach HEAD
      git switch troupe/fixer-a -c new
      git rebase main other
      git rebase --onto main a other
      git rebase --root other
      git rebase --update-refs main
      git update-ref refs/heads/main HEAD
      git symbolic-ref HEAD refs/heads/main
      git symbolic-ref --delete HEAD
      git replace a b
      git config user.name Me
      git config --global user.name Me
      git config --unset user.name
      git config --edit
      git config set user.name Me
      git gc
      git prune
      git reflog expire --all
      git reflog delete HEAD@{0}
      git repack -ad
      git maintenance run
      git filter-branch --all
      git fast-import
      git pack-refs --all
      git fetch origin main:other
      git fetch . +HEAD:main
      git fetch --refmap= origin x
      git pull origin x:main
      git push . HEAD:main
      git push ../other HEAD
      git push file:///repo HEAD:main
      git remote add x https://host.org/x.git
      git remote remove origin
      git remote set-url origin x
      git submodule add https://host.org/x.git
      git submodule deinit x
      git init
      git init .
      timeout 5 git stash
      nice git stash
      nohup git stash
      sudo -n git stash
      env -u X git stash
      exec git stash
      find . -name x -exec git stash {} ;
      bash -c "git stash"
      env bash -c 'true; git stash'
      env -S "git stash"
      eval git stash
      eval "git stash"
      git-stash
      /usr/lib/git-core/git-stash pop
      true; git stash
      false || git stash
      (git stash)
      { git stash; }
      git stash &
      cat <(git stash)
      git status && git checkout main`),
  )('can’t change state shared by all checkouts: %s', async (command) => {
    expect(await judge(command)).toMatchObject({ kind: 'deny' })
    expect(await judge(command, { mode: 'acceptEdits', rules: ['Bash', `Bash(${command})`] })).toMatchObject({
      kind: 'deny',
    })
  })

  it.each(
    lines(`
      git push
      git push -u origin troupe/fixer-a
      git push --force
      git tag v1
      git tag -d v1
      git notes add -m x
      git sparse-checkout set src
      git lfs install
      git st
      git $COMMAND
      git -C "$FOLDER" add .
      cd "$FOLDER" && git commit -am x
      source setup.sh && git commit -am x
      env -C src git commit -am x
      git checkout "$BRANCH"
      git checkout main $FILES
      git checkout main -- $FILES
      xargs git checkout main --
      git branch $OPTIONS x
      git switch $BRANCH
      git fetch origin $SPEC
      git rebase main "$BRANCH"
      xargs git checkout
      bash -c "git $COMMAND"
      sh -c 'f() { git stash; }; f'
      mise exec git stash
      git apply --unsafe-paths x
      git checkout-index --prefix=/repo/ -a
      f() { git stash; }; f
      f() { git -C /elsewhere pull; }; f
      f() { cd .. && git log; }; f
      f() { cd /elsewhere; git add .; }; f
      f() { cd /worktree-evil; git add .; }; f
      f() { GIT_DIR=x git log; }; f
      f() { git log ../*; }; f`),
  )('asks in every mode and with any rule: %s', async (command) => {
    const rules = ['Bash', `Bash(${command})`, 'Bash(git push:*)']
    expect(await judge(command, { rules })).toMatchObject({ kind: 'ask', alwaysRule: null })
    expect(await judge(command, { mode: 'dontAsk', rules })).toMatchObject({ kind: 'deny' })
  })

  it('follows continued lines', async () => {
    expect(await judge('f() { git \\\n stash; }; f')).toMatchObject({ kind: 'ask' })
    expect(await judge('git \\\n stash')).toMatchObject({ kind: 'deny' })
  })

  it('suggests an alternative', async () => {
    const because = async (command: string) => (await judge(command)).because
    expect(await because('git stash')).toContain('Commit on your own branch instead')
    expect(await because('git checkout -b new')).toContain('Commit on your own branch')
    expect(await because('git checkout src/a.ts')).toContain('git checkout -- PATH')
    expect(await because('cd /repo && git commit -am x')).toBe(
      'This git command reaches outside your worktree /worktree. Use git in your worktree, on your branch troupe/fixer-a. You can read other branches from there: git log BRANCH, git show BRANCH:PATH, git diff BRANCH...HEAD.',
    )
  })

  it('treats the whole worktree as inside if the project is a subfolder of it', async () => {
    const agent = { ...inWorktree, root: '/worktree/packages/app' }
    expect(await judge('cd .. && git commit -am x', { agent })).toMatchObject({ kind: 'allow' })
    expect(await judge('cd ../../.. && git commit -am x', { agent })).toMatchObject({ kind: 'deny' })
  })

  it('is not restricted for agents in the project itself', async () => {
    for (const command of ['git stash', 'git checkout main', 'git push', 'git -C /elsewhere log', 'git st'])
      expect(await judgeCommand(command, { mode: 'bypassPermissions' })).toMatchObject({ kind: 'allow' })
  })

  it('is as restricted as outside a worktree, apart from its own commits', async () => {
    for (const command of ['git merge main', 'git reset --hard', 'git commit'])
      expect(await judge(command, { mode: 'default' })).toMatchObject({ kind: 'ask' })
    expect(await judge('git log', { mode: 'default' })).toMatchObject({ kind: 'allow' })
    expect(await judge('git commit -m x', { mode: 'plan' })).toMatchObject({ kind: 'deny' })
  })
})
