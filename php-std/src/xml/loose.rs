//! Nodes that nobody can get at any more: they were taken out of the tree, or never put there, no object
//! stands for them and no list holds them. Their memory is used again.
//!
//! Native code has numbers of nodes, and code of the script may run meanwhile; but whoever has some has a share
//! of their document, too. So nodes are looked through only when all shares of the document are accounted for: by
//! the objects for its nodes and by those who say which nodes they keep ([`Held`]).

use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use super::tree::{Document, Kind, Node, NodeId, ROOT, Text, Tree};

/// Nodes that are there before anybody looks: below that it does not pay.
const FEW: usize = 1000;

/// What a tree knows of its loose nodes.
#[derive(Debug)]
pub(super) struct Loose {
    /// Places of nodes that are gone.
    free: Vec<NodeId>,
    /// Something was taken out, or an object for what is outside went.
    has_any: bool,
    /// So many places must be in use for another look.
    next_look: usize,
}

/// Who keeps nodes of a document, other than objects for them.
#[derive(Debug, Default)]
pub(super) struct Holders {
    /// How many [`Held`] there are.
    count: usize,
    /// The nodes that they keep, and how often each.
    pub(super) nodes: HashMap<NodeId, usize, foldhash::fast::FixedState>,
}

impl Default for Loose {
    fn default() -> Loose {
        Loose {
            free: Vec::new(),
            has_any: false,
            next_look: FEW,
        }
    }
}

/// A share of a document that keeps some of its nodes, and says so.
#[derive(Debug)]
pub(crate) struct Held {
    document: Document,
    nodes: Vec<NodeId>,
}

impl Clone for Held {
    /// Another share that keeps the same nodes.
    fn clone(&self) -> Held {
        self.document.hold(&self.nodes)
    }
}

impl Deref for Held {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.document
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        {
            let mut holders = self.document.holders();
            holders.count -= 1;
            for node in &self.nodes {
                let count = holders.nodes.entry(*node).or_default();
                *count = count.saturating_sub(1);
                if *count == 0 {
                    holders.nodes.remove(node);
                }
            }
        }
        if let Some(mut tree) = self.document.try_note() {
            if self.nodes.iter().any(|&node| tree.is_outside(node)) {
                tree.note_loose();
            }
            drop(tree);
            // The share that goes.
            self.document.look_through(1);
        }
    }
}

impl Document {
    /// A share that keeps nodes.
    pub(crate) fn hold(&self, nodes: &[NodeId]) -> Held {
        let mut holders = self.holders();
        holders.count += 1;
        for node in nodes {
            *holders.nodes.entry(*node).or_default() += 1;
        }
        drop(holders);
        Held {
            document: self.clone(),
            nodes: nodes.to_vec(),
        }
    }

    /// Lets go of the nodes that came after the first `count`, unless somebody refers to one of them.
    #[cfg(feature = "xsl")]
    pub(crate) fn truncate(&self, count: usize) {
        self.write().truncate(count, &self.holders());
    }

    /// Takes back what loose nodes hold, if there may be many of them and nobody else looks at the document;
    /// `others` shares are the caller's, who has no numbers of nodes.
    pub(crate) fn look_through(&self, others: usize) {
        let Some(mut tree) = self.try_note() else {
            return;
        };
        if !tree.loose.has_any || tree.in_use() < tree.loose.next_look {
            return;
        }
        let holders = self.holders();
        if self.shares() == tree.objects.len() + holders.count + others {
            tree.take_back(&holders);
        }
    }
}

impl Tree {
    /// How many places are in use.
    fn in_use(&self) -> usize {
        self.nodes.len() - self.loose.free.len()
    }

    /// True for a node that no other one leads to.
    pub(super) fn is_outside(&self, id: NodeId) -> bool {
        id != ROOT && (self[id].parent.is_none() || self[id].kind == Kind::Namespace)
    }

    /// There may be nodes now that nobody can get at.
    pub(crate) fn note_loose(&mut self) {
        self.loose.has_any = true;
    }

    /// A place for a node that was used before.
    pub(super) fn free_place(&mut self) -> Option<NodeId> {
        self.loose.free.pop()
    }

    /// Nodes that are made from now on have higher numbers than those that are there.
    #[cfg(feature = "xsl")]
    pub(super) fn use_new_places(&mut self) {
        self.loose.free.clear();
    }

    /// Finds the nodes that can be got at, along all that leads from one to another, and gives the places of the
    /// others back.
    fn take_back(&mut self, holders: &Holders) {
        let mut is_reached = vec![false; self.nodes.len()];
        let mut open: Vec<NodeId> = vec![ROOT];
        open.extend(self.objects.keys());
        open.extend(holders.nodes.keys());
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut is_reached[id as usize], true) {
                continue;
            }
            let node = &self.nodes[id as usize];
            let relatives = [node.parent, node.first, node.last, node.previous, node.next];
            open.extend(relatives.into_iter().flatten());
            open.extend(&node.attributes);
            open.extend(self.templates.get(&id));
            let declared = node.doctype.iter().flat_map(|doctype| &doctype.nodes);
            open.extend(declared.map(|(_, node)| *node));
        }
        self.templates.retain(|id, _| is_reached[*id as usize]);
        let nothing: Text = Rc::from(&b""[..]);
        self.loose.free.clear();
        // The lowest numbers are used first.
        for id in (0..self.nodes.len()).rev() {
            if !is_reached[id] {
                self.nodes[id] = Node::new(Kind::Text, &nothing);
                self.loose.free.push(id as NodeId);
            }
        }
        self.loose.has_any = false;
        self.loose.next_look = FEW.max(2 * self.in_use());
        // Lists look anew at what they are about.
        self.changes += 1;
    }
}
