// JSON Schema for combining schemas: 2020-12 core sections 8.2.3, 10.2.1 and 10.2.2.1 to 10.2.2.3; 2019-09 $recursiveRef too.
import { isObject } from '../../base/json.js';
import type { Resource, SchemaNode } from './document.js';
import { IssueList, joinNames, quotedName } from './issue.js';
import { childOf, childrenOf, type PlanBuilder, invalidKeyword } from './plan-builder.js';
import { type Check, type SchemaWalk, Seen, type SchemaVerdict } from './run.js';

export function logicKeywords(builder: PlanBuilder): void {
  const { schema, plan } = builder;
  const lists = { allOf: allCheck, anyOf: anyCheck, oneOf: oneCheck };
  for (const [keyword, toCheck] of Object.entries(lists)) {
    if (schema[keyword] === undefined) continue;
    const nodes = childrenOf(builder, schema[keyword]);
    plan.any.push(nodes === undefined || nodes.length === 0 ? invalidKeyword(keyword) : toCheck(nodes));
  }
  if (schema['not'] !== undefined) plan.any.push(notCheck(childOf(builder, schema['not'])));
  if (schema['if'] !== undefined) plan.any.push(ifCheck(builder));
}

export function referenceKeywords(builder: PlanBuilder): void {
  const { schema, plan, resource } = builder;
  if (schema['$ref'] !== undefined) plan.any.push(refCheck(builder, '$ref'));
  if (schema['$dynamicRef'] !== undefined && resource.dialect === '2020-12') {
    plan.any.push(refCheck(builder, '$dynamicRef'));
  }
  if (schema['$recursiveRef'] !== undefined && resource.dialect === '2019-09') {
    plan.any.push(refCheck(builder, '$recursiveRef'));
  }
}

function allCheck(nodes: readonly SchemaNode[]): Check<unknown> {
  return (value, run, seen) => run.every(nodes, (node) => run.evaluate(node, value, seen));
}

function anyCheck(nodes: readonly SchemaNode[]): Check<unknown> {
  return (value, run, seen) => {
    const lists: IssueList[] = [];
    let verdict: SchemaVerdict = 'no';
    for (const node of nodes) {
      const result = tryOne(node, value, run, { seen, lists });
      if (result === 'yes' && seen === undefined) return 'yes';
      verdict = verdict === 'yes' || result === 'no' ? verdict : result;
    }
    return verdict === 'no' ? none(lists, nodes.length, run) : verdict;
  };
}

function oneCheck(nodes: readonly SchemaNode[]): Check<unknown> {
  return (value, run, seen) => {
    const lists: IssueList[] = [];
    let sure = 0;
    let possible = 0;
    for (const node of nodes) {
      const result = tryOne(node, value, run, { seen, lists });
      if (result === 'yes') sure++;
      if (result !== 'no') possible++;
      if (sure > 1) return run.no(() => 'must fit one alternative only, and fits several');
    }
    if (possible === 0) return none(lists, nodes.length, run);
    return possible === 1 && sure === 1 ? 'yes' : 'unknown';
  };
}

/** Evaluates one alternative. A failed one leaves only its issues, kept apart in case this alternative was meant. */
function tryOne(
  node: SchemaNode,
  value: unknown,
  run: SchemaWalk,
  { seen, lists }: { seen: Seen | undefined; lists: IssueList[] },
): SchemaVerdict {
  const outer = run.issues;
  if (outer !== undefined) lists.push((run.issues = new IssueList()));
  const own = seen === undefined ? undefined : new Seen();
  const verdict = run.evaluate(node, value, own);
  run.issues = outer;
  if (verdict === 'yes') seen?.merge(own!, run.fuel);
  else if (verdict === 'unknown' && seen !== undefined) seen.doubtful = true;
  return verdict;
}

/** If types and choices show that only one alternative was meant, reports the issues of that one. */
function none(lists: readonly IssueList[], count: number, run: SchemaWalk): 'no' {
  const outer = run.issues;
  if (outer === undefined) return 'no';
  const depth = run.path.length;
  const meant = lists.filter(({ issues }) =>
    issues.every((issue) =>
      issue.kind === 'type' ? issue.depth > depth : issue.kind === 'other' || issue.depth > depth + 1,
    ),
  );
  if (meant.length === 1) {
    outer.addAll(meant[0]!);
    return 'no';
  }
  const first = lists.map(({ issues }) => issues[0]);
  if (first.every((issue) => issue?.kind === 'type' && issue.depth === depth)) {
    const wanted = first.map((issue) => /^must be (.*), is /.exec(issue!.message)?.[1] ?? 'something else');
    const is = /, is (.*)$/.exec(first[0]!.message)?.[1] ?? 'something else';
    return run.no(() => `must be ${joinNames([...new Set(wanted)], 'or')}, is ${is}`, 'type');
  }
  return run.no(() => `must fit one of ${count} alternatives, and fits none`);
}

function notCheck(node: SchemaNode): Check<unknown> {
  return (value, run) => {
    const verdict = run.quietly(() => run.evaluate(node, value, undefined));
    if (verdict === 'unknown') return 'unknown';
    return verdict === 'no' ? 'yes' : run.no(() => 'must not fit a schema that it fits');
  };
}

function ifCheck(builder: PlanBuilder): Check<unknown> {
  const { schema } = builder;
  const condition = childOf(builder, schema['if']);
  const then = schema['then'] === undefined ? undefined : childOf(builder, schema['then']);
  const otherwise = schema['else'] === undefined ? undefined : childOf(builder, schema['else']);
  return (value, run, seen) => {
    const follow = (node: SchemaNode | undefined): SchemaVerdict =>
      node === undefined ? 'yes' : run.evaluate(node, value, seen);
    const verdict = run.quietly(() => tryOne(condition, value, run, { seen, lists: [] }));
    if (verdict === 'yes') return follow(then);
    if (verdict === 'no') return follow(otherwise);
    const [one, other] = run.quietly(() => [follow(then), follow(otherwise)]);
    return one === other ? one : 'unknown';
  };
}

type ReferenceKeyword = '$ref' | '$dynamicRef' | '$recursiveRef';

function refCheck(builder: PlanBuilder, keyword: ReferenceKeyword): Check<unknown> {
  const { schema, document, resource } = builder;
  const reference = schema[keyword];
  if (typeof reference !== 'string') return invalidKeyword(keyword);
  let target: SchemaNode | undefined;
  return (value, run, seen) => {
    target ??= document.resolve(reference, resource, run.fuel);
    if (target === undefined) {
      return run.unknown(
        `The schema refers to ${quotedName(reference)}, which is not in it, and schemas are never fetched`,
      );
    }
    return run.evaluate(outermost(target, reference, run) ?? target, value, seen);
  };

  /** A dynamic reference to a dynamic anchor leads to the outermost scope that has the same anchor. */
  function outermost(found: SchemaNode, to: string, run: SchemaWalk): SchemaNode | undefined {
    if (keyword === '$ref') return undefined;
    run.fuel.spend(run.scopes.length);
    if (keyword === '$recursiveRef') {
      const scope = isRecursive(found.resource) ? run.scopes.find(isRecursive) : undefined;
      return scope === undefined ? undefined : document.child(scope.root, scope, run.fuel);
    }
    const name = to.slice(to.indexOf('#') + 1);
    if (found.resource.dynamicAnchors.get(name) !== found) return undefined;
    return run.scopes.find((scope) => scope.dynamicAnchors.has(name))?.dynamicAnchors.get(name);
  }
}

function isRecursive({ root }: Resource): boolean {
  return isObject(root) && root['$recursiveAnchor'] === true;
}
