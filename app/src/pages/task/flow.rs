//! Which way time runs in the drawn lanes: to the right where there is room, downwards on a narrow window. Pure: places of a
//! [`Picture`] in, places on the screen out; what is drawn is the same.
//!
//! # Design
//! Downwards, each step has a row of its own with its words beside the lanes, so that the width depends on the number of agents
//! alone. Lanes are then too close for names; each row says who instead.

use super::layout::{LANE_HEIGHT, NAMES_WIDTH, Picture, TOP};

/// A point on the screen.
pub(super) type Point = (i32, i32);

const ROW_HEIGHT: i32 = 46;
const LANES_WIDTH: i32 = 90;
/// What the frame has on a phone: with few lanes the words have more room.
const DOWN_WIDTH: i32 = 324;

/// Which way time runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Right,
    Down,
}

/// Where the words at a point begin: the label's, and those below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) x: i32,
    pub(super) label_y: i32,
    pub(super) below_y: i32,
}

impl Flow {
    /// The width and height of the drawing.
    pub(super) fn size(self, picture: &Picture) -> Point {
        match self {
            Self::Right => (picture.width, picture.height),
            Self::Down => (DOWN_WIDTH, ROW_HEIGHT * rows(picture)),
        }
    }

    /// Where a point of the picture lies.
    pub(super) fn place(self, picture: &Picture, (x, y): Point) -> Point {
        match self {
            Self::Right => (x, y),
            Self::Down => {
                let row = xs(picture).position(|known| known == x).unwrap_or(0);
                (column(picture, y), ROW_HEIGHT * to_i32(row) + ROW_HEIGHT / 2)
            }
        }
    }

    /// The ends of a lane.
    pub(super) fn lane(self, picture: &Picture, y: i32) -> (Point, Point) {
        match self {
            Self::Right => ((NAMES_WIDTH - 6, y), (picture.width - 12, y)),
            Self::Down => {
                let x = column(picture, y);
                ((x, 4), (x, ROW_HEIGHT * rows(picture) - 4))
            }
        }
    }

    /// Where the words at a point of the screen begin.
    pub(super) fn words(self, picture: &Picture, (x, y): Point) -> Words {
        match self {
            Self::Right => Words { x: x + 11, label_y: y - 11, below_y: y + 20 },
            Self::Down => Words { x: words_x(picture), label_y: y - 3, below_y: y + 13 },
        }
    }

    /// A curve that leaves and arrives along the lanes. Downwards it changes the lane within a row and then keeps to it, so that no
    /// long one crosses what stands between.
    pub(super) fn curve(self, (x, y): Point, (to_x, to_y): Point) -> String {
        match self {
            Self::Right => {
                let bend = ((to_x - x) / 2).min(60);
                format!("M{x} {y}C{} {y} {} {to_y} {to_x} {to_y}", x + bend, to_x - bend)
            }
            Self::Down => {
                let (bend, end_y) = (y + ROW_HEIGHT / 2, y + ROW_HEIGHT);
                format!("M{x} {y}C{x} {bend} {to_x} {bend} {to_x} {end_y}V{to_y}")
            }
        }
    }
}

/// Every place in time, from the first step to what is waited for.
fn xs(picture: &Picture) -> impl Iterator<Item = i32> {
    picture.dots.iter().map(|dot| dot.x).chain(picture.pending.iter().map(|pending| pending.x))
}

fn rows(picture: &Picture) -> i32 {
    to_i32(xs(picture).count())
}

fn column(picture: &Picture, y: i32) -> i32 {
    let gaps = to_i32(picture.lanes.len()) - 1;
    10 + (LANES_WIDTH / gaps.max(1)).min(24) * ((y - TOP) / LANE_HEIGHT)
}

fn words_x(picture: &Picture) -> i32 {
    picture.lanes.iter().map(|lane| column(picture, lane.y)).max().unwrap_or(0) + 20
}

fn to_i32(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::layout::{Below, Dot, Lane};
    use super::*;

    fn picture(lanes: i32, steps: i32) -> Picture {
        let y = |at: i32| TOP + LANE_HEIGHT * (at % lanes);
        let dot = |at| Dot {
            x: 200 + 130 * at,
            y: y(at),
            class: "open",
            label: "request".to_owned(),
            below: Below::At(0),
            event_id: at.to_string(),
        };
        let lane = |at| Lane { name: String::new(), short_name: String::new(), y: y(at) };
        Picture {
            width: 960,
            height: 400,
            lanes: (0..lanes).map(lane).collect(),
            bars: vec![],
            links: vec![],
            dots: (0..steps).map(dot).collect(),
            pending: None,
            left_out: 0,
        }
    }

    #[test]
    fn downwards_each_step_has_a_row_and_each_agent_a_column() {
        let picture = picture(2, 3);
        let places: Vec<Point> = picture.dots.iter().map(|d| Flow::Down.place(&picture, (d.x, d.y))).collect();
        assert_eq!(places, [(10, 23), (34, 69), (10, 115)]);
        let words = Flow::Down.words(&picture, places[0]);
        assert!(words.x > 34 + 8, "beside every lane, {words:?}");
        assert_eq!(Flow::Down.curve(places[0], (34, 115)), "M10 23C10 46 34 46 34 69V115");
    }

    #[test]
    fn downwards_the_width_fits_a_phone_however_many_agents_and_steps_there_are() {
        for lanes in 1..=12 {
            let (width, height) = Flow::Down.size(&picture(lanes, 40));
            assert!(width <= 324, "{lanes} lanes are {width} wide");
            assert_eq!(height, 40 * ROW_HEIGHT);
        }
    }

    #[test]
    fn to_the_right_nothing_moves() {
        let picture = picture(3, 4);
        assert_eq!(Flow::Right.size(&picture), (960, 400));
        assert_eq!(Flow::Right.place(&picture, (330, 116)), (330, 116));
        assert_eq!(Flow::Right.curve((0, 10), (40, 90)), "M0 10C20 10 20 90 40 90");
    }
}
